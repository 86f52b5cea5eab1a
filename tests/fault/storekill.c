/* SPDX-License-Identifier: MIT */
/*
 * storekill STORE FOLDER KILLS SEED - run the real store process STORE, feed it rows as fast as it takes them, and end it
 * with SIGKILL at KILLS random moments; the next one goes on with the row after, as the loop has it. Each fourth is asked
 * for another archive, so that some die while they write a file whole. When the next has begun, every row that was answered
 * must be there with its value, at its time; the one that was under way may be lost.
 */
#include <err.h>
#include <math.h>
#include <rrd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "daemon/store_proto.h"
#include "daemon/util.h"

#define FILES 3
#define COLUMNS 8
#define LONGEST_NSEC 12000000 /* of a life, from when its files are to be opened */
#define LOOK_BACK 300         /* rows that are looked at after a death */
#define MOST_ROWS 80000       /* less than a day: no file may be ahead of the clock by more */

struct feeder {
	const char *program, *folder;
	pid_t pid;
	int fd;
	int64_t first, next[FILES],
		answered[FILES];     /* times of rows; answered: the newest that was */
	bool lost[FILES][MOST_ROWS]; /* by its time - first: under way when the store died */
	unsigned kills;
};

static void start(struct feeder *f)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		err(2, "socketpair");
	f->pid = fork();
	if (f->pid < 0)
		err(2, "fork");
	if (f->pid == 0) {
		dup2(pair[1], STORE_FD);
		execl(f->program, "connwatchd: store", (char *)NULL);
		err(2, "%s", f->program);
	}
	close(pair[1]);
	f->fd = pair[0];
}

/* False where the store has ended. */
static bool send_packet(const struct feeder *f, const uint8_t *packet, ssize_t len)
{
	return send(f->fd, packet, (size_t)len, MSG_NOSIGNAL) == len;
}

static bool send_open(const struct feeder *f, uint32_t slot)
{
	static const char *const names[] = {"one", "two", "three"}, *const columns = "abcdefgh";
	char letters[COLUMNS][2] = {0};
	uint8_t packet[STORE_PACKET_SIZE];
	struct store_open open = {.name = names[slot],
		.directory = f->folder,
		.daemon = "",
		.step = 1,
		.heartbeat = 1000, /* however many are lost in a row */
		.n_columns = COLUMNS,
		.n_archives = 2};

	open.archives[0] = (struct store_archive){1, 4000};
	open.archives[1] = (struct store_archive){60, 500 + f->kills / 4};
	for (size_t i = 0; i < COLUMNS; i++) {
		letters[i][0] = columns[i];
		open.columns[i] = (struct store_column){letters[i], METRIC_GAUGE};
	}
	return send_packet(f, packet, store_put_open(packet, slot, &open));
}

/* Its time is its number and the value of every column, so that it can be told from any other. */
static bool send_row(struct feeder *f, uint32_t slot, int64_t time)
{
	const struct store_packet head = {STORE_ROW, slot, (uint64_t)time};
	double values[COLUMNS];
	uint8_t packet[STORE_PACKET_SIZE];

	for (size_t i = 0; i < COLUMNS; i++)
		values[i] = (double)time;
	return send_packet(f, packet, store_put_row(packet, &head, time, values, COLUMNS));
}

/* Wait for an answer; false where the store has ended. */
static bool receive(struct feeder *f)
{
	uint8_t packet[STORE_PACKET_SIZE];
	struct store_packet head;
	struct store_answer a;
	ssize_t len;

	do {
		len = recv(f->fd, packet, sizeof(packet), 0);
		if (len <= 0)
			return false;
		if (store_parse_packet(packet, (size_t)len, &head) < 0)
			errx(1, "a packet that is none");
	} while (head.type == STORE_BUSY);
	if (store_parse_answer(packet, (size_t)len, &a) < 0)
		errx(1, "an answer that is none");
	if (a.code != STORE_DONE || a.priority <= LOG_WARNING)
		errx(1, "after %u kills the store answers %d, %s%s", f->kills, a.code, a.cause,
			a.note);
	if (head.seq)
		f->answered[head.slot] = (int64_t)head.seq;
	return true;
}

/* Rows to each file in turn, until the store is no more. */
static void feed(struct feeder *f)
{
	for (uint32_t slot = 0;; slot = (slot + 1) % FILES) {
		int64_t time = f->next[slot]++;

		if (!send_row(f, slot, time) || !receive(f)) {
			f->lost[slot][time - f->first] = true;
			return;
		}
	}
}

/* The rows of one file before the newest that was answered. */
static void check_file(const struct feeder *f, uint32_t slot, const char *path)
{
	time_t begin = f->answered[slot] - LOOK_BACK, end = f->answered[slot];
	unsigned long step = 1, columns;
	rrd_value_t *values;
	char **names;

	if (begin < f->first)
		begin = f->first;
	begin--; /* a row is the second that ends with its time */
	rrd_clear_error();
	if (rrd_fetch_r(path, "AVERAGE", &begin, &end, &step, &columns, &names, &values) < 0)
		errx(1, "after %u kills: %s", f->kills, rrd_get_error());
	if (columns != COLUMNS || step != 1)
		errx(1, "after %u kills %s has %lu columns and a step of %lu", f->kills, path,
			columns, step);
	for (int64_t t = begin + 1; t <= f->answered[slot]; t++) {
		for (size_t i = 0; i < COLUMNS; i++) {
			double value = values[(size_t)(t - begin - 1) * COLUMNS + i];

			if (value != (double)t && !f->lost[slot][t - f->first])
				errx(1, "after %u kills %s has %.0f in the row of %lld", f->kills,
					path, value, (long long)t);
		}
	}
	for (size_t i = 0; i < columns; i++)
		rrd_freemem(names[i]);
	rrd_freemem(names);
	rrd_freemem(values);
}

static void check(const struct feeder *f)
{
	static const char *const names[] = {"one", "two", "three"};
	char path[4096];

	for (uint32_t slot = 0; slot < FILES; slot++) {
		snprintf(path, sizeof(path), "%s/%s.rrd", f->folder, names[slot]);
		if (f->answered[slot] > f->first)
			check_file(f, slot, path);
	}
}

/* One that kills the store after so long. */
static pid_t set_killer(const struct feeder *f, long nsec)
{
	const struct timespec wait = {.tv_nsec = nsec};
	pid_t pid = fork();

	if (pid < 0)
		err(2, "fork");
	if (pid == 0) {
		nanosleep(&wait, NULL);
		kill(f->pid, SIGKILL);
		_exit(0);
	}
	return pid;
}

static void live(struct feeder *f, long nsec)
{
	bool lives = true;
	pid_t killer;

	start(f);
	for (uint32_t i = 0; i < FILES; i++)
		send_open(f, i);
	lives = receive(f); /* it has begun, and the other files are still to be opened */
	check(f);
	killer = set_killer(f, nsec);
	for (uint32_t i = 1; lives && i < FILES; i++)
		lives = receive(f);
	if (lives)
		feed(f);
	waitpid(killer, NULL, 0);
	waitpid(f->pid, NULL, 0);
	close(f->fd);
	f->kills++;
}

int main(int argc, char **argv)
{
	static struct feeder f;
	unsigned short seed[3] = {0};
	unsigned kills;
	size_t lost = 0;

	if (argc != 5)
		errx(2, "usage: storekill STORE FOLDER KILLS SEED");
	f.program = argv[1];
	f.folder = argv[2];
	kills = (unsigned)strtoul(argv[3], NULL, 10);
	seed[0] = (unsigned short)strtoul(argv[4], NULL, 10);
	f.first = time(NULL) - 2 * MOST_ROWS;
	for (size_t i = 0; i < FILES; i++)
		f.next[i] = f.first;
	while (f.kills < kills)
		live(&f, (long)(erand48(seed) * LONGEST_NSEC));
	for (size_t i = 0; i < FILES; i++)
		for (size_t k = 0; k < MOST_ROWS; k++)
			lost += f.lost[i][k];
	printf("%u kills in %lld rows of each file; under way then, and lost at most: %zu\n",
		f.kills, (long long)(f.answered[0] - f.first + 1), lost);
	return 0;
}
