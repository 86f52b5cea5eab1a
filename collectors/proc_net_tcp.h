/* SPDX-License-Identifier: MIT */
/*
 * TCP sockets from net/tcp and net/tcp6: for recorded trees and where netlink is refused. Three
 * times the cost of inet_diag. Read through a fixed buffer, so memory does not depend on the number
 * of sockets.
 */
#ifndef CONNWATCH_PROC_NET_TCP_H
#define CONNWATCH_PROC_NET_TCP_H

#include "collectors/procfile.h"
#include "collectors/span.h"
#include "collectors/tcp_socket.h"

/*
 * Hand every socket of both files to sink; without IPv6 there is no net/tcp6. The backlog of a
 * listener is not in these files. Returns 0; or -errno with *path the file's name, and what the
 * sink holds is to be ignored.
 */
int proc_net_tcp_dump(const struct proc *proc, const struct socket_sink *sink, const char **path);

/*
 * Parse one line without its newline (pure). Returns 0 and *out, whose state may be any number, or
 * -EBADMSG.
 */
int proc_net_tcp_parse(struct span line, struct tcp_socket *out);

#endif
