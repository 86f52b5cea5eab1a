/* SPDX-License-Identifier: MIT */
/* What every unit test includes: cmocka with what it needs before it, and comparisons that know
 * NaN. */
#ifndef CONNWATCH_TEST_H
#define CONNWATCH_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_number(is, expected)                                                                \
	do {                                                                                       \
		double is_ = (is), expected_ = (expected);                                         \
                                                                                                   \
		if (!(isnan(is_) && isnan(expected_)) &&                                           \
			!(fabs(is_ - expected_) <= 1e-9 * fmax(1, fabs(expected_))))               \
			fail_msg("%s is %.17g, expected %.17g", #is, is_, expected_);              \
	} while (0)

#endif
