// SPDX-License-Identifier: Apache-2.0
// The configuration of mParticle's SDK, which it reads as it loads. The query of the page's URL selects the way:
// ?host=127.0.0.1:8790 for an allowed origin, ?domain=localhost:8443 for a TLS proxy, neither for interception.
const choice = new URLSearchParams(location.search);
const host = choice.get("host");
const domain = choice.get("domain");

window.mParticle = {
    config: {
        isDevelopmentMode: true,
        flags: { eventBatchingIntervalMillis: 1000 },
        ...(domain && { domain }),
        ...(host && {
            forceHttps: false,
            requestConfig: false,
            workspaceToken: choice.get("key") ?? "us1-emulated",
            identityUrl: `${host}/identity/v1/`,
            v1SecureServiceUrl: `${host}/webevents/v1/JS/`,
            v2SecureServiceUrl: `${host}/webevents/v2/JS/`,
            v3SecureServiceUrl: `${host}/webevents/v3/JS/`,
            // Over HTTPS only: an alias fails here, and does not reach the vendor.
            aliasUrl: `${host}/webevents/v1/identity/`,
        }),
    },
};
