/* SPDX-License-Identifier: MIT */
/*
 * connwatch-bpf: loads the program that walks the kernel's table of TCP connections (tcp_walk.bpf.c)
 * and pins it, with the map for what it finds, in a bpffs of its own, for the group it runs as. Then
 * it ends. Loading takes CAP_BPF and CAP_PERFMON; opening and running what is pinned takes neither.
 */
#include <errno.h>
#include <getopt.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "daemon/bpf/tcp_walk.h"
#include "walk_cast.skel.h"
#include "walk_probe.skel.h"

#define USAGE "usage: connwatch-bpf [-v] [--netns]"
#define BTF "/sys/kernel/btf/vmlinux"

static int fail(int error, const char *what)
{
	fprintf(stderr, "connwatch-bpf: %s: %s\n", what, strerror(-error));
	return error;
}

static int print_nothing(enum libbpf_print_level level, const char *format, va_list ap)
{
	(void)level;
	(void)format;
	(void)ap;
	return 0;
}

struct arguments {
	bool verbose, every_netns;
};

/* The program's constants; every_netns is the one there is. */
static int set_constants(struct bpf_object *object, bool every_netns)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata");

	return map ? bpf_map__set_initial_value(map, &every_netns, sizeof(every_netns)) : -ENOENT;
}

static int load(const struct arguments *args, const void *elf, size_t size, struct bpf_object **out)
{
	struct bpf_object *object = bpf_object__open_mem(elf, size, NULL);
	int r;

	if (!object)
		return -errno;
	r = set_constants(object, args->every_netns);
	if (r == 0)
		r = bpf_object__load(object);
	if (r < 0) {
		bpf_object__close(object);
		return r;
	}
	*out = object;
	return 0;
}

/* The quicker one, if this kernel has what it takes. */
static int load_either(const struct arguments *args, struct bpf_object **out)
{
	size_t size;
	const void *elf = walk_cast__elf_bytes(&size);
	int r = load(args, elf, size, out);

	if (r < 0) {
		elf = walk_probe__elf_bytes(&size);
		r = load(args, elf, size, out);
	}
	if (r == -EPERM)
		return fail(r, "loading takes CAP_BPF and CAP_PERFMON");
	if (r == -ESRCH) /* so libbpf calls it */
		return fail(-ENOENT, "the kernel's BTF, which ought to be " BTF);
	return r < 0 ? fail(r, "the kernel does not take the program, -v shows why") : 0;
}

static int check_folder(void)
{
	struct statfs fs;

	if (statfs(TCP_WALK_FOLDER, &fs) < 0)
		return fail(-errno, TCP_WALK_FOLDER);
	if (fs.f_type == BPF_FS_MAGIC)
		return 0;
	fputs("connwatch-bpf: " TCP_WALK_FOLDER " is no bpffs; mount -t bpf bpf " TCP_WALK_FOLDER
	      "\n",
		stderr);
	return -ENODEV;
}

/* In place of those of an earlier run; who has these open keeps them. */
static int pin(struct bpf_object *object)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object, "walk");
	struct bpf_map *map = bpf_object__find_map_by_name(object, "sockets");
	int r;

	unlink(TCP_WALK_PROGRAM);
	unlink(TCP_WALK_MAP);
	/* From here on the program alone may write to the map. */
	r = program && map ? bpf_map_freeze(bpf_map__fd(map)) : -ENOENT;
	if (r == 0)
		r = bpf_program__pin(program, TCP_WALK_PROGRAM);
	if (r == 0)
		r = bpf_map__pin(map, TCP_WALK_MAP);
	/* Only who may write to them can run the one, and have the other in its memory. */
	if (r == 0 && (chmod(TCP_WALK_PROGRAM, 0660) < 0 || chmod(TCP_WALK_MAP, 0660) < 0))
		r = -errno;
	return r < 0 ? fail(r, TCP_WALK_FOLDER) : 0;
}

static void help(void)
{
	puts(USAGE "\n"
		   "Loads the program by which connwatchd counts sockets, and pins it "
		   "in " TCP_WALK_FOLDER ".\n\n"
		   "  --netns     it tells of the sockets of other network namespaces too, of "
		   "those it\n"
		   "              is asked for\n"
		   "  -v          show why the kernel does not take it\n"
		   "  -h, --help  print this\n\n"
		   "See connwatchd(8).");
}

/* Returns -1 to go on, or the exit code. */
static int parse(int argc, char **argv, struct arguments *args)
{
	static const struct option options[] = {
		{"netns", no_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	bool good = true;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "vh", options, NULL)) != -1) {
		if (option == 'h') {
			help();
			return EXIT_SUCCESS;
		}
		args->verbose |= option == 'v';
		args->every_netns |= option == 'n';
		good = good && (option == 'v' || option == 'n');
	}
	if (good && optind == argc)
		return -1;
	fputs(USAGE "\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct arguments args = {0};
	struct bpf_object *object = NULL;
	int r = parse(argc, argv, &args);

	if (r >= 0)
		return r;
	if (!args.verbose)
		libbpf_set_print(print_nothing);
	r = check_folder();
	if (r == 0)
		r = load_either(&args, &object);
	if (r == 0)
		r = pin(object);
	bpf_object__close(object);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
