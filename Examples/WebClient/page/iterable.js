// SPDX-License-Identifier: Apache-2.0
// The requests of Iterable's SDK for browsers (2.3), made by hand: unknown user activation, users, events.

/** A visitor of a page, with the key of a project. */
export class IterableClient {
    #baseURL;
    #key;
    #user = null;

    /**
     * @param {string} baseURL `https://api.iterable.com/api`, or the emulator's URL and `/api`.
     * @param {string} key The key of the project.
     */
    constructor(baseURL, key) {
        this.#baseURL = baseURL;
        this.#key = key;
    }

    criteria() {
        return this.#send("GET", "/unknownuser/list");
    }

    /** Creates an unknown user. The SDK omits `preferUserId`, which other clients send. */
    async activate(userId, criteriaID, dataFields) {
        const now = seconds();
        const answer = await this.#send("POST", "/unknownuser/events/session", {
            user: { userId, mergeNestedObjects: true, createNewFields: true, dataFields },
            createdAt: now,
            deviceInfo: { appPackageName: location.hostname, deviceId: navigator.userAgent, platform: "Web" },
            unknownSessionContext: {
                totalUnknownSessionCount: 1,
                lastUnknownSession: now,
                firstUnknownSession: now,
                matchedCriteriaId: parseInt(criteriaID, 10),
            },
        });
        if (answer.ok) this.#user = userId;
        return answer;
    }

    track(eventName, dataFields) {
        return this.#send("POST", "/events/track", { eventName, dataFields, createdAt: seconds(), ...this.#who });
    }

    updateUser(dataFields) {
        return this.#send("POST", "/users/update", { dataFields, ...this.#who });
    }

    /** Merges the unknown user into a known one, and continues as that one. */
    async merge(destinationUserId) {
        const answer = await this.#send("POST", "/users/merge", {
            sourceUserId: this.#user, sourceEmail: null, destinationUserId, destinationEmail: null,
        });
        if (answer.ok) this.#user = destinationUserId;
        return answer;
    }

    get #who() {
        return { userId: this.#user, preferUserId: true };
    }

    #send(method, path, body) {
        const headers = { Accept: "application/json, text/plain, */*", "Api-Key": this.#key };
        if (body) headers["Content-Type"] = "application/json";
        return fetch(this.#baseURL + path, { method, headers, body: body && JSON.stringify(body) });
    }
}

function seconds() {
    return Math.floor(Date.now() / 1000);
}
