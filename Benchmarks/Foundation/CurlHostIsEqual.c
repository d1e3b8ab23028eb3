// SPDX-License-Identifier: Apache-2.0

// Foundation of Swift 6.3 on Linux calls this for each request, and frees the handle of the parsed address with `curl_free`:
// the texts in it are lost, 146 bytes for the addresses of `soak`. This is the function as it should be, to be loaded before
// Foundation, so that `soak` shows whose the growth of the memory is:
//
//     clang -O2 -shared -fPIC Benchmarks/Foundation/CurlHostIsEqual.c -o /tmp/corrected.so
//     LD_PRELOAD=/tmp/corrected.so .../event-load soak --runs 1 --only URLSession
//
// libcurl's headers need not be there: these are its interface since 7.62 (curl/urlapi.h).

#include <stdbool.h>
#include <string.h>

typedef struct Curl_URL CURLU;
enum { part_url = 0, part_host = 5 };

CURLU *curl_url(void);
void curl_url_cleanup(CURLU *handle);
int curl_url_set(CURLU *handle, int part, const char *text, unsigned flags);
int curl_url_get(const CURLU *handle, int part, char **text, unsigned flags);
void curl_free(void *text);

bool CFURLSessionCurlHostIsEqual(const char *url, const char *expected) {
    bool is_equal = false;
    char *host = NULL;
    CURLU *handle = curl_url();
    if (handle == NULL) return false;
    if (curl_url_set(handle, part_url, url, 0) == 0 && curl_url_get(handle, part_host, &host, 0) == 0) {
        is_equal = strcmp(host, expected) == 0;
        curl_free(host);
    }
    curl_url_cleanup(handle);
    return is_equal;
}
