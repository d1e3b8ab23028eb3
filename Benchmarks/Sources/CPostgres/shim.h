// SPDX-License-Identifier: Apache-2.0

#ifndef CPOSTGRES_H
#define CPOSTGRES_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#error "The trait Fleet needs the client library of PostgreSQL: apt-get install libpq-dev."
#endif

#endif
