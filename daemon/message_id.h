/* SPDX-License-Identifier: MIT */
/* MESSAGE_ID of each kind of message in the journal (systemd.journal-fields(7)), made once with
 * systemd-id128 new. */
#ifndef CONNWATCH_MESSAGE_ID_H
#define CONNWATCH_MESSAGE_ID_H

#define MESSAGE_ID_CONNTRACK_FULL "95c407d500854403b4ef2fbb90bc86b4"
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

#endif
