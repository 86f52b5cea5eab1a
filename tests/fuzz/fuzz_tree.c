/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a file below /proc, in a tree of the others as they were captured, or as the status.json of an earlier run;
 * the first byte chooses. All collectors look at it, and the rules judge what they say: no reading is negative or infinite.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <sys/stat.h>

#include "daemon/judge.h"
#include "daemon/log.h"
#include "daemon/readings.h"
#include "daemon/status.h"
#include "tests/fuzz/folder.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* By their place in the list the seeds are told what they are: only to be appended to. */
static const char *const files[] = {
	STATUS_FILE,
	"proc/net/netstat",
	"proc/net/snmp",
	"proc/net/sockstat",
	"proc/net/softnet_stat",
	"proc/net/stat/arp_cache",
	"proc/net/stat/nf_conntrack",
	"proc/net/tcp",
	"proc/net/tcp6",
	"proc/sys/net/ipv4/ip_local_port_range",
	"proc/sys/net/ipv4/tcp_mem",
	"proc/sys/net/netfilter/nf_conntrack_count",
	"proc/sys/net/netfilter/nf_conntrack_max",
};

static struct {
	struct conf *conf;
	struct readings *readings;
	struct judge *judge;
	double now;
} daemon_;

static void complain(void *arg, const char *problem)
{
	(void)arg;
	errx(2, "%s", problem);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char text[512], path[128];
	FILE *conf;

	(void)argc;
	(void)argv;
	folder_make();
	snprintf(text, sizeof(text),
		"cp -r %s/tests/fixtures/linux-6.1-debian/proc %s && chmod -R u+w %s", SRCDIR,
		folder, folder);
	if (system(text) != 0)
		errx(2, "cannot copy the tree");
	snprintf(path, sizeof(path), "%s/conf", folder);
	conf = fopen(path, "w");
	if (!conf)
		err(2, "%s", path);
	fprintf(conf,
		"proc = \"%s/proc\"\nstate_directory = \"%s\"\nlistener \"a\" { port = 80 }\n",
		folder, folder);
	fclose(conf);
	log_open(LOG_TARGET_STDERR, 0);
	if (conf_load(path, complain, NULL, &daemon_.conf) < 0 ||
		readings_new(daemon_.conf, &daemon_.readings) < 0 ||
		judge_new(daemon_.conf, daemon_.readings, &daemon_.judge) < 0)
		errx(2, "cannot begin");
	return 0;
}

static void look(void)
{
	daemon_.now += 10;
	readings_row(daemon_.readings);
	readings_report(daemon_.readings, daemon_.now);
	judge_look(daemon_.judge, true, daemon_.now, 1796068800 + daemon_.now);
	for (size_t i = 0; i < daemon_.readings->n; i++) {
		const struct instance *instance = &daemon_.readings->instances[i];

		for (size_t m = 0; m < instance->conf->collector->n_metrics; m++)
			assert(isnan(instance->values[m]) ||
				(instance->values[m] >= 0 && isfinite(instance->values[m])));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[256], whole[16384];
	ssize_t n;
	int fd;

	if (size == 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", folder, files[data[0] % ARRAY_LEN(files)]);
	if (data[0] % ARRAY_LEN(files) == 0) {
		file_put(path, data + 1, size - 1);
		status_restore(folder, daemon_.judge, daemon_.now, 1796068800 + daemon_.now);
		look();
		return 0;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, whole, sizeof(whole));
	close(fd);
	if (n < 0 || n == (ssize_t)sizeof(whole))
		errx(2, "%s is not as it was captured", path);
	file_put(path, data + 1, size - 1);
	look();
	look();
	file_put(path, whole, (size_t)n);
	return 0;
}
