/* SPDX-License-Identifier: MIT */
/*
 * rawdump - read the conntrack table by ctnetlink and do nothing with it: the floor that `connwatch
 * top --all` is measured against. Prints how many entries came.
 */
#include <stdio.h>

#include <libmnl/libmnl.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>

static int on_entry(const struct nlmsghdr *nlh, void *arg)
{
	unsigned long *entries = arg;

	(void)nlh;
	++*entries;
	return MNL_CB_OK;
}

int main(void)
{
	_Alignas(struct nlmsghdr) char buffer[32 * 1024];
	struct nlmsghdr *request = mnl_nlmsg_put_header(buffer);
	struct mnl_socket *nl = mnl_socket_open(NETLINK_NETFILTER);
	unsigned long entries = 0;
	ssize_t n = 1;

	request->nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	mnl_nlmsg_put_extra_header(request, sizeof(struct nfgenmsg));
	if (!nl || mnl_socket_sendto(nl, request, request->nlmsg_len) < 0) {
		perror("rawdump");
		return 1;
	}
	while (n > 0) {
		n = mnl_socket_recvfrom(nl, buffer, sizeof(buffer));
		if (n > 0)
			n = mnl_cb_run(buffer, (size_t)n, 0, 0, on_entry, &entries);
	}
	printf("%lu\n", entries);
	return n < 0;
}
