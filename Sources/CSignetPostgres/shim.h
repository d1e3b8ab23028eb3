// SPDX-License-Identifier: Apache-2.0

#ifndef CSIGNET_POSTGRES_H
#define CSIGNET_POSTGRES_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#error "A store in PostgreSQL needs its client library: apt-get install libpq-dev, or brew install libpq."
#endif

#ifdef __linux__
/* unistd.h declares it for _GNU_SOURCE alone, which Swift does not define. */
int pipe2(int ends[2], int flags);
#endif

#endif
