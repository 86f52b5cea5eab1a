/* SPDX-License-Identifier: MIT */
/* MESSAGE_ID of each kind of message in the journal (systemd.journal-fields(7)), made once with
 * systemd-id128 new. */
#ifndef CONNWATCH_MESSAGE_ID_H
#define CONNWATCH_MESSAGE_ID_H

#define MESSAGE_ID_CONNTRACK_FULL "95c407d500854403b4ef2fbb90bc86b4"
#define MESSAGE_ID_CONNTRACK_DROPPING "49f6d89ccf904a559002c3366aff2461"
#define MESSAGE_ID_CONNTRACK_INSERT_FAILED "1364b63da5c14bb0aa83655ad4f9f755"
#define MESSAGE_ID_CONNTRACK_HASH "48341b598c494c0caeae4e12ffc34199"
#define MESSAGE_ID_LISTEN_QUEUE "bdc85552e2b746fc8116331e9e30ad41"
#define MESSAGE_ID_LISTEN_DROPS "4c8359f77a214a5badb4a455614921ff"
#define MESSAGE_ID_SYN_QUEUE "b1b3e8cbb45c4b8da71e89b44d9dbee7"
#define MESSAGE_ID_ORPHANS "ded6c92841324b66b70f7e8e6f4b865a"
#define MESSAGE_ID_TIME_WAIT "f1fb8704cc214ed09c23638c4b60519c"
#define MESSAGE_ID_TCP_MEMORY "b66c884b132b4e408f3d5483c4413dd4"
#define MESSAGE_ID_SOFTNET "c1403d8d27734cb297de2f451fd31b41"
#define MESSAGE_ID_NEIGHBOURS "78f71ae5454d4317a8672053ad6e29cb"
#define MESSAGE_ID_UDP_BUFFER "d8c45a9bb2474e5a90a717b3ab03fe23"
#define MESSAGE_ID_PORTS "41e4d7477df44530bda9dcae15f002bd"
#define MESSAGE_ID_LIMIT_NEAR                                                                      \
	"c81d37fa378f409c859bfd1f0fb39d99" /* any other value near its limit */
#define MESSAGE_ID_VALUE_HIGH                                                                      \
	"76f6bb7ec4b74bc793ec2f1dfa2a0f8c" /* a value or rate over its threshold */
#define MESSAGE_ID_RECOVERY "6caac5d8c4e14eceb6517ed4cef4724c" /* back to normal */
#define MESSAGE_ID_UNREADABLE                                                                      \
	"0f9473aade014cfea6d6c558285a7832" /* a source that cannot be read                         \
					    */
#define MESSAGE_ID_SETTING_CHANGED "2fcbcc33f1034428ac779d608930628a" /* a maximum was changed */
#define MESSAGE_ID_ABSENT                                                                          \
	"43a80b3790af48d1801c5bbb97876f8c" /* a source is not there, or there again */
#define MESSAGE_ID_WHO "1273a2c940d847d48a128ad8d7d0cb5b" /* who fills the conntrack table */

#endif
