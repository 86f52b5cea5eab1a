/* SPDX-License-Identifier: MIT */
/* A recorded tree of a test's own, in a folder that goes with it. Setup and teardown for cmocka. */
#ifndef CONNWATCH_TREE_H
#define CONNWATCH_TREE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/procfile.h"

struct tree {
	char path[64];
	struct proc *proc;
};

static inline int tree_set_up(void **state)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return -1;
	*state = tree;
	strcpy(tree->path, "/tmp/connwatch-tree-XXXXXX");
	return mkdtemp(tree->path) ? proc_new(tree->path, &tree->proc) : -1;
}

static inline int tree_tear_down(void **state)
{
	struct tree *tree = *state;
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", tree->path);
	proc_free(tree->proc);
	free(tree);
	return system(command);
}

/* Opens a file below the tree for writing, with its folders. */
static inline FILE *tree_open(const struct tree *tree, const char *path)
{
	char name[256];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", tree->path, path);
	for (char *slash = name + strlen(tree->path) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(name, 0755);
		*slash = '/';
	}
	f = fopen(name, "w");
	assert_non_null(f);
	return f;
}

/* Writes text into a file below the tree; NULL removes it. */
static inline void tree_put(const struct tree *tree, const char *path, const char *text)
{
	char name[256];
	FILE *f;

	if (text) {
		f = tree_open(tree, path);
		fputs(text, f);
		fclose(f);
		return;
	}
	snprintf(name, sizeof(name), "%s/%s", tree->path, path);
	unlink(name);
}

#define WITH_TREE(test) cmocka_unit_test_setup_teardown(test, tree_set_up, tree_tear_down)

#endif
