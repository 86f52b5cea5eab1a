/* SPDX-License-Identifier: MIT */
#include "tests/unit/test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collectors/procfile.h"
#include "tests/unit/tree.h"

static void long_file_is_read_whole(void **state)
{
	const struct tree *tree = *state;
	struct procfile file = PROCFILE("long");
	size_t size = 300000;
	char *text = malloc(size + 1);
	struct span got;

	assert_non_null(text);
	memset(text, 'x', size);
	text[size] = '\0';
	tree_put(tree, "long", text);
	assert_int_equal(procfile_read(tree->proc, &file, &got), 0);
	assert_int_equal(got.len, size);
	assert_memory_equal(got.at, text, size + 1);
	assert_int_equal(file.fd, -1); /* a recorded tree's files may be replaced */
	tree_put(tree, "long", "short\n");
	assert_int_equal(procfile_read(tree->proc, &file, &got), 0);
	assert_string_equal(got.at, "short\n");
	free(text);
}

static void what_is_supplied_reads_where_there_is_no_file(void **state)
{
	const struct tree *tree = *state;
	struct procfile file = PROCFILE("made");
	struct span got;

	assert_int_equal(procfile_read(tree->proc, &file, &got), -ENOENT);
	assert_int_equal(proc_supply(tree->proc, "made", "by hand\n"), 0);
	assert_false(proc_has(tree->proc, "made"));
	assert_int_equal(procfile_read(tree->proc, &file, &got), 0);
	assert_int_equal(got.len, strlen("by hand\n"));
	assert_string_equal(got.at, "by hand\n");
	tree_put(tree, "made", "by the kernel\n");
	assert_int_equal(procfile_read(tree->proc, &file, &got), 0);
	assert_string_equal(got.at, "by the kernel\n");
	tree_put(tree, "made", NULL);
	assert_int_equal(proc_supply(tree->proc, "made", NULL), 0);
	assert_int_equal(procfile_read(tree->proc, &file, &got), -ENOENT);
}

static void endless_file_folder_and_pipe_are_refused(void **state)
{
	const struct tree *tree = *state;
	struct procfile endless = PROCFILE("endless"), folder = PROCFILE("folder"),
			pipe = PROCFILE("pipe");
	char name[96];
	struct span got;

	snprintf(name, sizeof(name), "%s/endless", tree->path);
	tree_put(tree, "endless", "");
	assert_int_equal(truncate(name, 17 * 1024 * 1024), 0);
	assert_int_equal(procfile_read(tree->proc, &endless, &got), -EFBIG);
	snprintf(name, sizeof(name), "%s/folder", tree->path);
	assert_int_equal(mkdir(name, 0755), 0);
	assert_int_equal(procfile_read(tree->proc, &folder, &got), -EISDIR);
	snprintf(name, sizeof(name), "%s/pipe", tree->path);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(procfile_read(tree->proc, &pipe, &got), -ESPIPE);
}

static void numbers_are_exactly_as_many(void **state)
{
	const struct tree *tree = *state;
	struct procfile file = PROCFILE("numbers");
	double n[3];

	tree_put(tree, "numbers", "287898\t383867\t575796\n");
	assert_int_equal(procfile_numbers(tree->proc, &file, 3, n), 0);
	assert_number(n[1], 383867);
	assert_int_equal(procfile_numbers(tree->proc, &file, 2, n), -EBADMSG);
	assert_int_equal(procfile_numbers(tree->proc, &file, 1, n), -EBADMSG);
	tree_put(tree, "numbers", "1 2\n");
	assert_int_equal(procfile_numbers(tree->proc, &file, 3, n), -EBADMSG);
	tree_put(tree, "numbers", "1 2 3");
	assert_int_equal(procfile_numbers(tree->proc, &file, 3, n), -EBADMSG);
}

static void descriptors_of_procfs_are_kept(void **state)
{
	struct procfile file = PROCFILE("self/status"), missing = PROCFILE("self/no-such-file");
	struct proc *proc;
	struct span got;
	int fd;

	(void)state;
	if (proc_new("/proc", &proc) < 0)
		skip();
	assert_false(proc_is_recorded(proc));
	assert_int_equal(procfile_read(proc, &file, &got), 0);
	fd = file.fd;
	assert_true(fd >= 0);
	assert_int_equal(procfile_read(proc, &file, &got), 0);
	assert_int_equal(file.fd, fd);
	assert_memory_equal(got.at, "Name:", 5);
	assert_int_equal(procfile_read(proc, &missing, &got), -ENOENT);
	procfile_close(&file);
	assert_int_equal(file.fd, -1);
	proc_free(proc);
}

/*
 * A descriptor whose file is gone answers ENOENT or the like: here the one of a process that has
 * ended.
 */
static void vanished_file_is_opened_anew_at_once(void **state)
{
	struct procfile file;
	struct proc *proc;
	struct span got;
	char path[64];
	pid_t child;

	(void)state;
	if (proc_new("/proc", &proc) < 0)
		skip();
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "%d/status", (int)child);
	file = PROCFILE(path);
	assert_int_equal(procfile_read(proc, &file, &got), 0);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(procfile_read(proc, &file, &got), -ENOENT);
	assert_int_equal(file.fd, -1);
	proc_free(proc);
}

static void tree_that_is_no_folder_is_refused(void **state)
{
	struct proc *proc;

	(void)state;
	assert_int_equal(proc_new("/dev/null", &proc), -ENOTDIR);
	assert_int_equal(proc_new(SRCDIR "/no-such-folder", &proc), -ENOENT);
}

static void failure_is_a_sentence_and_the_first_one_stays(void **state)
{
	struct reading r = {0};

	(void)state;
	assert_int_equal(reading_fail(&r, -ENOENT, "net/snmp"), -ENOENT);
	assert_string_equal(r.error, "cannot open net/snmp: No such file or directory");
	assert_int_equal(reading_fail(&r, -EIO, "net/netstat"), -EIO);
	assert_string_equal(r.error, "cannot open net/snmp: No such file or directory");
	r.error[0] = '\0';
	reading_fail(&r, -EIO, "net/netstat");
	assert_string_equal(r.error, "cannot read net/netstat: Input/output error");
	r.error[0] = '\0';
	reading_fail(&r, -EBADMSG, "net/netstat");
	assert_string_equal(r.error, "cannot read net/netstat: unexpected content");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TREE(long_file_is_read_whole),
		WITH_TREE(what_is_supplied_reads_where_there_is_no_file),
		WITH_TREE(endless_file_folder_and_pipe_are_refused),
		WITH_TREE(numbers_are_exactly_as_many),
		cmocka_unit_test(descriptors_of_procfs_are_kept),
		cmocka_unit_test(vanished_file_is_opened_anew_at_once),
		cmocka_unit_test(tree_that_is_no_folder_is_refused),
		cmocka_unit_test(failure_is_a_sentence_and_the_first_one_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
