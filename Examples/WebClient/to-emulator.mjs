// SPDX-License-Identifier: Apache-2.0

const vendors = /^https?:\/\/([a-z0-9-]+\.)*(mparticle|iterable)\.com\//;
const ofPages = /^(origin|referer|host|cookie|sec-.*|:.*)$/;

/** Sends what the pages of a Playwright context ask of the vendors' hosts to an emulator. */
export async function routeToEmulator(context, emulator) {
    await context.route(vendors, async (route) => {
        const request = route.request();
        const { pathname, search } = new URL(request.url());
        // The emulator refuses pages of other origins by these fields.
        const own = Object.entries(request.headers()).filter(([name]) => !ofPages.test(name));
        try {
            const answer = await route.fetch({ url: emulator + pathname + search, headers: Object.fromEntries(own) });
            await route.fulfill({
                response: answer,
                headers: { ...answer.headers(), "access-control-expose-headers": "X-MP-Max-Age, Retry-After" },
            });
        } catch (error) {
            // A page that is closed takes no answer.
            if (!error.message.includes("has been closed")) throw error;
        }
    });
}
