/* SPDX-License-Identifier: MIT */
#include "collectors/proc_net_tcp.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "daemon/util.h"

#define BUFFER_SIZE (16 * 1024) /* bytes; a line has 150 to 200 */

/* Takes the word up to the separator off word. */
static bool split(struct span *word, char separator, struct span *head)
{
	const char *at = memchr(word->at, separator, word->len);

	if (!at)
		return false;
	*head = (struct span){word->at, (size_t)(at - word->at)};
	word->len -= head->len + 1;
	word->at = at + 1;
	return true;
}

/* 8 or 32 hexadecimal digits: each 32-bit word of the address as this host's number. */
static bool parse_address(struct span digits, uint8_t out[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	size_t start = digits.len == 8 ? 12 : 0;
	uint64_t value;
	uint32_t word;

	if (digits.len != 8 && digits.len != 32)
		return false;
	memcpy(out, mapped, start);
	for (size_t i = 0; i < digits.len / 8; i++) {
		if (!span_hex((struct span){digits.at + i * 8, 8}, &value))
			return false;
		word = (uint32_t)value;
		memcpy(out + start + i * 4, &word, 4);
	}
	return true;
}

/* "0100007F:0050" */
static bool parse_end(struct span *line, uint8_t address[16], uint16_t *port)
{
	struct span word, digits;
	uint64_t value;

	if (!span_word(line, &word) || !split(&word, ':', &digits) ||
		!parse_address(digits, address))
		return false;
	if (!span_hex(word, &value) || value > UINT16_MAX)
		return false;
	*port = (uint16_t)value;
	return true;
}

int proc_net_tcp_parse(struct span line, struct tcp_socket *out)
{
	struct span word, sent;
	uint64_t state, received;

	if (!span_word(&line, &word) || !parse_end(&line, out->local, &out->local_port) ||
		!parse_end(&line, out->remote, &out->remote_port))
		return -EBADMSG;
	if (!span_word(&line, &word) || !span_hex(word, &state) || state > UINT8_MAX)
		return -EBADMSG;
	if (!span_word(&line, &word) || !split(&word, ':', &sent) || !span_hex(word, &received) ||
		received > UINT32_MAX)
		return -EBADMSG;
	out->state = (uint8_t)state;
	out->queue = (uint32_t)received;
	out->backlog = BACKLOG_UNKNOWN;
	out->drops = DROPS_UNKNOWN;
	out->cookie = 0;
	return 0;
}

static bool is_header(struct span line)
{
	struct span word;

	return span_word(&line, &word) && span_equal(word, "sl");
}

/* The whole lines of a buffer; returns how many bytes they were, or -EBADMSG. */
static ssize_t parse_lines(const char *buffer, size_t len, const struct socket_sink *sink)
{
	const char *last = memrchr(buffer, '\n', len);
	struct span rest = {buffer, last ? (size_t)(last - buffer) + 1 : 0}, line;
	ssize_t used = (ssize_t)rest.len;
	struct tcp_socket socket;

	while (span_line(&rest, &line)) {
		if (is_header(line))
			continue;
		if (proc_net_tcp_parse(line, &socket) < 0)
			return -EBADMSG;
		if (socket.state < TCP_STATES)
			sink->add(sink->arg, &socket);
	}
	return used;
}

static int read_sockets(int fd, const struct socket_sink *sink)
{
	char buffer[BUFFER_SIZE];
	size_t have = 0;
	bool empty = true; /* without even its header */
	ssize_t n, used;

	for (;;) {
		n = read(fd, buffer + have, sizeof(buffer) - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return have || empty ? -EBADMSG : 0; /* a torn last line */
		empty = false;
		have += (size_t)n;
		used = parse_lines(buffer, have, sink);
		if (used < 0 || (used == 0 && have == sizeof(buffer)))
			return -EBADMSG;
		have -= (size_t)used;
		memmove(buffer, buffer + used, have);
	}
}

static int dump_file(const struct proc *proc, const char *path, const struct socket_sink *sink)
{
	CLEANUP_CLOSE int fd = proc_open(proc, path);

	return fd < 0 ? fd : read_sockets(fd, sink);
}

int proc_net_tcp_dump(const struct proc *proc, const struct socket_sink *sink, const char **path)
{
	int r;

	sink->begin(sink->arg);
	*path = "net/tcp";
	r = dump_file(proc, *path, sink);
	if (r < 0)
		return r;
	*path = "net/tcp6";
	r = dump_file(proc, *path, sink);
	return r == -ENOENT ? 0 : r;
}
