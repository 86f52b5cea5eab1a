/* SPDX-License-Identifier: MIT */
/* A journal is written by systemd-journal-remote, which takes trusted fields such as _TRANSPORT
 * from its input. */
#include "collectors/kernel_journal.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

#define WRITER "/lib/systemd/systemd-journal-remote"
#define FULL "nf_conntrack: nf_conntrack: table full, dropping packet"

struct fixture {
	char directory[64];
	unsigned long long usec;
	struct kernel_journal journal;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->usec = 1796000000000000;
	snprintf(f->directory, sizeof(f->directory), "/tmp/connwatch-test.XXXXXX");
	assert_non_null(mkdtemp(f->directory));
	f->journal.directory = f->directory;
	*state = f;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	kernel_journal_close(&f->journal);
	nftw(f->directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(f);
	return 0;
}

/* Append n entries to a journal file. */
static void write_entries(struct fixture *f, const char *file, size_t n, const char *fields)
{
	char command[256];
	FILE *out;

	if (access(WRITER, X_OK) < 0)
		skip();
	snprintf(
		command, sizeof(command), WRITER " -o %s/%s - >/dev/null 2>&1", f->directory, file);
	out = popen(command, "we");
	assert_non_null(out);
	for (size_t i = 0; i < n; i++) {
		f->usec += 1000;
		fprintf(out, "__REALTIME_TIMESTAMP=%llu\n__MONOTONIC_TIMESTAMP=%llu\n", f->usec,
			f->usec - 1795000000000000);
		fprintf(out, "_BOOT_ID=0123456789abcdef0123456789abcdef\n%s\n\n", fields);
	}
	assert_int_equal(pclose(out), 0);
}

static void write_kernel(struct fixture *f, const char *file, size_t n, const char *message)
{
	char fields[256];

	snprintf(fields, sizeof(fields),
		"_TRANSPORT=kernel\nSYSLOG_FACILITY=0\nPRIORITY=4\nMESSAGE=%s", message);
	write_entries(f, file, n, fields);
}

static void expect(struct fixture *f, size_t max, ssize_t result, uint64_t found)
{
	uint64_t lines = 0;

	assert_int_equal(kernel_journal_drain(&f->journal, max, &lines), result);
	assert_int_equal(lines, found);
}

static void lines_are_counted_once(void **state)
{
	struct fixture *f = *state;

	write_kernel(f, "system.journal", 3, FULL);
	write_kernel(f, "system.journal", 2, "eth0: link up");
	expect(f, 100, 5, 3);
	expect(f, 100, 0, 0);
	write_kernel(f, "system.journal", 1, FULL);
	expect(f, 100, 1, 1);
	expect(f, 100, 0, 0);
}

static void first_time_the_last_lines_are_read(void **state)
{
	struct fixture *f = *state;

	write_kernel(f, "system.journal", 5, FULL);
	write_kernel(f, "system.journal", 3, "eth0: link up");
	expect(f, 4, 4, 1);
	expect(f, 4, 0, 0);
}

static void later_ones_are_read_piece_by_piece(void **state)
{
	struct fixture *f = *state;

	write_kernel(f, "system.journal", 1, FULL);
	expect(f, 4, 1, 1);
	write_kernel(f, "system.journal", 7, FULL);
	expect(f, 4, 4, 4);
	expect(f, 4, 3, 3);
	expect(f, 4, 0, 0);
}

static void cursor_survives_a_rotation(void **state)
{
	struct fixture *f = *state;
	char path[128];

	write_kernel(f, "system@1.journal", 3, FULL);
	expect(f, 100, 3, 3);
	write_kernel(f, "system.journal", 2, FULL);
	expect(f, 100, 2, 2);
	write_kernel(f, "system@2.journal", 1, FULL);
	snprintf(path, sizeof(path), "%s/system@1.journal", f->directory);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/system.journal", f->directory);
	assert_int_equal(unlink(path), 0); /* the cursor's own line is gone */
	expect(f, 100, 1, 1);
}

static void processes_do_not_count(void **state)
{
	struct fixture *f = *state;

	write_kernel(f, "system.journal", 1, "eth0: link up");
	write_entries(
		f, "system.journal", 1, "_TRANSPORT=kernel\nSYSLOG_FACILITY=1\nMESSAGE=" FULL);
	write_entries(
		f, "system.journal", 1, "_TRANSPORT=syslog\nSYSLOG_FACILITY=0\nMESSAGE=" FULL);
	write_entries(f, "system.journal", 1, "_TRANSPORT=kernel\nMESSAGE=" FULL);
	expect(f, 100, 3, 0);
}

static void journal_without_the_kernel_is_enoent(void **state)
{
	struct fixture *f = *state;

	write_entries(f, "system.journal", 1, "_TRANSPORT=syslog\nMESSAGE=x");
	expect(f, 100, -ENOENT, 0);
	write_kernel(f, "system.journal", 1, FULL);
	expect(f, 100, 1, 1);
}

/* The newest files are asked alone, unless the kernel has said nothing for so long. */
static void last_line_may_be_in_an_old_file(void **state)
{
	struct fixture *f = *state;
	char file[32];

	write_kernel(f, "system@0.journal", 2, FULL);
	for (int i = 1; i <= 4; i++) {
		snprintf(file, sizeof(file), i < 4 ? "system@%d.journal" : "system.journal", i);
		write_entries(f, file, 1, "_TRANSPORT=syslog\nMESSAGE=x");
	}
	expect(f, 100, 2, 2);
	expect(f, 100, 0, 0);
	write_kernel(f, "system.journal", 1, FULL);
	expect(f, 100, 1, 1);
}

static void other_files_are_not_read(void **state)
{
	struct fixture *f = *state;

	write_kernel(f, "user-1000.journal", 1, FULL);
	expect(f, 100, -ENOENT, 0);
	write_kernel(f, "system.journal", 1, FULL);
	expect(f, 100, 1, 1);
}

static void no_journal_is_enoent(void **state)
{
	struct fixture *f = *state;

	expect(f, 100, -ENOENT, 0);
	f->journal.directory = "/nonexistent";
	expect(f, 100, -ENOENT, 0);
}

static void unreadable_journal_is_eacces(void **state)
{
	struct fixture *f = *state;
	ssize_t r = 0;
	char path[128];
	int status = 0;
	pid_t child;

	write_kernel(f, "system.journal", 1, FULL);
	snprintf(path, sizeof(path), "%s/system.journal", f->directory);
	assert_int_equal(chmod(path, 0000) | chmod(f->directory, 0755), 0);
	if (geteuid() != 0) {
		expect(f, 100, -EACCES, 0);
		return;
	}
	child = fork(); /* root may read everything */
	assert_true(child >= 0);
	if (child == 0) {
		uint64_t lines = 0;

		if (setresuid(65534, 65534, 65534) == 0)
			r = kernel_journal_drain(&f->journal, 100, &lines);
		_exit(r == -EACCES && lines == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines_are_counted_once, setup, teardown),
		cmocka_unit_test_setup_teardown(
			first_time_the_last_lines_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(
			later_ones_are_read_piece_by_piece, setup, teardown),
		cmocka_unit_test_setup_teardown(cursor_survives_a_rotation, setup, teardown),
		cmocka_unit_test_setup_teardown(processes_do_not_count, setup, teardown),
		cmocka_unit_test_setup_teardown(
			journal_without_the_kernel_is_enoent, setup, teardown),
		cmocka_unit_test_setup_teardown(last_line_may_be_in_an_old_file, setup, teardown),
		cmocka_unit_test_setup_teardown(other_files_are_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(no_journal_is_enoent, setup, teardown),
		cmocka_unit_test_setup_teardown(unreadable_journal_is_eacces, setup, teardown),
	};

	return cmocka_run_group_tests_name("kernel_journal", tests, NULL, NULL);
}
