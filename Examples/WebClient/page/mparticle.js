// SPDX-License-Identifier: Apache-2.0
// The requests of mParticle's SDK for browsers (2.30 to 2.71), made by hand: identity, batches of events, alias.

/**
 * The base URLs of the services.
 *
 * @param {string} origin The origin that serves all of them, laid out as the SDK's option `domain` does; empty for the
 *   vendor's own hosts.
 */
export function mparticleHosts(origin) {
    if (!origin) {
        return {
            identity: "https://identity.mparticle.com/v1/",
            events: "https://jssdks.mparticle.com/v3/JS/",
            alias: "https://jssdks.mparticle.com/v1/identity/",
        };
    }
    return {
        identity: `${origin}/identity/v1/`,
        events: `${origin}/webevents/v3/JS/`,
        alias: `${origin}/webevents/v1/identity/`,
    };
}

/** A visitor of a page, with the key of a workspace. A browser holds no secret: identity requests have the key alone. */
export class MParticleClient {
    /** The MPIDs that the service has named, the current one last; text, because a number would be rounded. */
    users = [];
    #key;
    #hosts;
    #device;
    #session = { uuid: randomID(), start: Date.now() };

    constructor(key, hosts, device = randomID()) {
        this.#key = key;
        this.#hosts = hosts;
        this.#device = device;
    }

    get user() {
        return this.users.at(-1);
    }

    /**
     * Resolves the visitor.
     *
     * @param {string} method `identify`, `login`, `logout` or `search`.
     * @param {object} identities For example `{ customerid: "c-17" }`.
     */
    async resolve(method, identities = {}) {
        const answer = await this.#post(`${this.#hosts.identity}${method}`, {
            client_sdk: { platform: "web", sdk_vendor: "signet-example", sdk_version: "1.0" },
            context: null,
            environment: "development",
            request_id: randomID(),
            request_timestamp_ms: Date.now(),
            previous_mpid: this.user ?? null,
            known_identities: { device_application_stamp: this.#device, ...identities },
        }, { "Content-Type": "application/json", "x-mp-key": this.#key });
        if (answer.ok && method !== "search") {
            const { mpid } = await answer.json();
            if (mpid !== this.user) this.users.push(mpid);
        }
        return answer;
    }

    /** Sends a batch. The content type is that of a simple request, so the browser asks nothing before it. */
    upload(events) {
        return this.#post(this.#eventsURL, this.#batch(events), { "Content-Type": "text/plain;charset=UTF-8" });
    }

    /** Hands a batch to the browser, which sends it also if the page goes; false if the browser does not take it. */
    beacon(events) {
        const text = JSON.stringify(this.#batch(events));
        return navigator.sendBeacon(this.#eventsURL, new Blob([text], { type: "text/plain;charset=UTF-8" }));
    }

    /** Asks for the events of the user before to be copied to the current one. */
    alias() {
        return this.#post(`${this.#hosts.alias}${this.#key}/Alias`, {
            request_id: randomID(),
            request_type: "alias",
            environment: "development",
            api_key: this.#key,
            data: {
                destination_mpid: this.user,
                source_mpid: this.users.at(-2),
                start_unixtime_ms: this.#session.start,
                end_unixtime_ms: Date.now(),
                scope: "device",
                device_application_stamp: this.#device,
            },
        }, { "Content-Type": "application/json" });
    }

    /** An event. Session and time are those of the page; a session has a UUID here, and no number. */
    event(type, members = {}) {
        return {
            event_type: type,
            data: {
                timestamp_unixtime_ms: Date.now(),
                session_uuid: this.#session.uuid,
                session_start_unixtime_ms: this.#session.start,
                custom_attributes: {},
                location: null,
                source_message_id: randomID(),
                page_url: location.href,
                ...members,
            },
        };
    }

    get #eventsURL() {
        return `${this.#hosts.events}${this.#key}/events`;
    }

    #batch(events) {
        return {
            source_request_id: randomID(),
            mpid: this.user,
            timestamp_unixtime_ms: Date.now(),
            environment: "development",
            events,
            mp_deviceid: this.#device,
            sdk_version: "1.0",
            application_info: { application_version: "1", application_name: "WebClient" },
            device_info: { platform: "web", screen_width: screen.width, screen_height: screen.height },
            user_attributes: { visits: 1, plan: "free" },
            user_identities: null,
            consent_state: null,
            integration_attributes: {},
        };
    }

    #post(url, body, headers) {
        return fetch(url, {
            method: "post",
            headers: { Accept: "text/plain;charset=UTF-8", ...headers },
            body: JSON.stringify(body),
        });
    }
}

/** A random UUID. `crypto.randomUUID` is only on pages over HTTPS and of this machine. */
function randomID() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
