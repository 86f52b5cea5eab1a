/* SPDX-License-Identifier: MIT */
/*
 * connwatch-bpf: loads the program that walks the kernel's table of TCP connections (tcp_walk.bpf.c)
 * and pins it, with the map for what it finds, in a bpffs of its own, for the group it runs as. Then
 * it ends. Loading takes CAP_BPF and CAP_PERFMON; opening and running what is pinned takes neither.
 */
#include <errno.h>
#include <linux/magic.h>
#include <stdarg.h>
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

#define USAGE "usage: connwatch-bpf [-v]"
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

static int load(const void *elf, size_t size, struct bpf_object **out)
{
	struct bpf_object *object = bpf_object__open_mem(elf, size, NULL);
	int r;

	if (!object)
		return -errno;
	r = bpf_object__load(object);
	if (r < 0) {
		bpf_object__close(object);
		return r;
	}
	*out = object;
	return 0;
}

/* The quicker one, if this kernel has what it takes. */
static int load_either(struct bpf_object **out)
{
	size_t size;
	const void *elf = walk_cast__elf_bytes(&size);
	int r = load(elf, size, out);

	if (r < 0) {
		elf = walk_probe__elf_bytes(&size);
		r = load(elf, size, out);
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

int main(int argc, char **argv)
{
	struct bpf_object *object = NULL;
	int r;

	if (argc > 2 || (argc == 2 && strcmp(argv[1], "-v") != 0)) {
		fputs(USAGE "\n", stderr);
		return 2;
	}
	if (argc == 1)
		libbpf_set_print(print_nothing);
	r = check_folder();
	if (r == 0)
		r = load_either(&object);
	if (r == 0)
		r = pin(object);
	bpf_object__close(object);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
