// SPDX-License-Identifier: Apache-2.0

#ifndef CSIGNET_POSTGRES_H
#define CSIGNET_POSTGRES_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#error "The trait PostgresStore needs the client library of PostgreSQL: apt-get install libpq-dev, or brew install libpq."
#endif

#endif
