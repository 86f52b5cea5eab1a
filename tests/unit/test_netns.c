/* SPDX-License-Identifier: MIT */
#include "collectors/netns.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/util.h"
#include "tests/unit/test.h"

static struct netns *named(const char *path)
{
	struct netns *netns;

	assert_int_equal(netns_new("gw", path, &netns), 0);
	return netns;
}

static void what_is_no_namespace_is_said(void **state)
{
	struct netns *missing = named("/nowhere/gw"), *file = named("/proc/self/status");
	char text[128];

	(void)state;
	assert_int_equal(netns_look(missing), -ENOENT);
	netns_explain(missing, -ENOENT, text, sizeof(text));
	assert_string_equal(text, "cannot enter /nowhere/gw: No such file or directory");
	assert_int_equal(netns_look(file), -EINVAL);
	netns_explain(file, -EINVAL, text, sizeof(text));
	assert_string_equal(text, "/proc/self/status is no network namespace");
	netns_explain(file, -EPERM, text, sizeof(text));
	assert_string_equal(text, "cannot enter /proc/self/status: it takes CAP_SYS_ADMIN, see the "
				  "drop-in netns.conf");
	assert_int_equal(netns_number(missing), 0);
	assert_int_equal(netns_enter(missing), -ENOENT);
	assert_int_equal(netns_enter(file), -ESTALE);
	assert_int_equal(netns_enter(NULL), 0);
	netns_leave(NULL);
	netns_free(missing);
	netns_free(file);
	netns_free(NULL);
}

static ino_t current(void)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	return st.st_ino;
}

/* A child makes one, which is bound to the path. */
static void bind_another(const char *path)
{
	int to_child[2], to_us[2];
	char source[64], c;
	pid_t pid;

	assert_int_equal(pipe(to_child), 0);
	assert_int_equal(pipe(to_us), 0);
	pid = fork();
	if (pid == 0) {
		close(to_child[1]);
		c = unshare(CLONE_NEWNET) == 0;
		if (write(to_us[1], &c, 1) == 1 && read(to_child[0], &c, 1) < 0)
			_exit(1);
		_exit(0);
	}
	assert_int_equal(read(to_us[0], &c, 1), 1);
	assert_int_equal(c, 1);
	snprintf(source, sizeof(source), "/proc/%d/ns/net", (int)pid);
	assert_int_equal(mount(source, path, NULL, MS_BIND, NULL), 0);
	for (int i = 0; i < 2; i++) {
		close(to_child[i]);
		close(to_us[i]);
	}
}

static void another_one_under_the_same_path_is_not_entered_unseen(void **state)
{
	char path[] = "/tmp/connwatchd-netns-XXXXXX";
	CLEANUP_CLOSE int fd = mkstemp(path);
	struct netns *netns = named(path);
	ino_t own = current();
	uint64_t first;

	(void)state;
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
		unlink(path);
		netns_free(netns);
		skip();
	}
	bind_another(path);
	assert_int_equal(netns_look(netns), NETNS_OTHER);
	assert_int_equal(netns_look(netns), 0);
	first = netns_number(netns);
	assert_true(first && first != own);
	assert_int_equal(netns_enter(netns), 0);
	assert_int_equal(current(), first);
	netns_leave(netns);
	assert_int_equal(current(), own);
	bind_another(path);
	assert_int_equal(netns_enter(netns), -ESTALE);
	assert_int_equal(current(), own);
	assert_int_equal(netns_look(netns), NETNS_OTHER);
	assert_true(netns_number(netns) != first);
	umount(path);
	umount(path);
	assert_int_equal(netns_look(netns), -EINVAL);
	assert_int_equal(netns_number(netns), 0);
	unlink(path);
	assert_int_equal(netns_look(netns), -ENOENT);
	netns_free(netns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_namespace_is_said),
		cmocka_unit_test(another_one_under_the_same_path_is_not_entered_unseen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
