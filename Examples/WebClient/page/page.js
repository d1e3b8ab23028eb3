// SPDX-License-Identifier: Apache-2.0
// Each button sends requests and lists their answers. The query of the page's URL says to whom, and for whom:
// ?emulator=http://127.0.0.1:8790&key=us1-emulated&project=emulated-project&customer=ann; the vendors' hosts without `emulator`.
import { IterableClient } from "./iterable.js";
import { MParticleClient, mparticleHosts } from "./mparticle.js";

const query = new URLSearchParams(location.search);
const emulator = query.get("emulator") ?? "";
const customer = query.get("customer") ?? "ann";
const mparticle = new MParticleClient(query.get("key") ?? "us1-emulated", mparticleHosts(emulator));
const iterable = new IterableClient(
    `${emulator || "https://api.iterable.com"}/api`, query.get("project") ?? "emulated-project");

const steps = {
    async identify() {
        note("identify", await mparticle.resolve("identify"));
    },
    async browse() {
        note("browse", await mparticle.upload([
            mparticle.event("session_start"),
            mparticle.event("screen_view", { screen_name: "Home" }),
            mparticle.event("custom_event", {
                event_name: "searched", custom_event_type: "search", custom_attributes: { results: 3, exact: false, word: "tea" },
            }),
            mparticle.event("commerce_event", {
                promotion_action: { action: 1, promotions: [{ id: "spring", name: "Spring", position: "top" }] },
            }),
        ]));
    },
    async login() {
        note("login", await mparticle.resolve("login", { customerid: customer }));
    },
    async alias() {
        note("alias", await mparticle.alias());
    },
    async buy() {
        const product = { id: "t-1", name: "Assam", price: 4.5, quantity: 2, custom_attributes: { organic: true } };
        note("buy", await mparticle.upload([
            mparticle.event("commerce_event", {
                currency_code: "EUR",
                product_action: { action: "purchase", transaction_id: "o-1", total_amount: 9, products: [product] },
            }),
        ]));
    },
    async leave() {
        list("leave", mparticle.beacon([mparticle.event("session_end", { session_duration_ms: 1000 })]) ? "sent" : "refused");
    },
    async unknown() {
        const criteria = await iterable.criteria();
        note("criteria", criteria);
        const [first] = (await criteria.json()).criteriaSets;
        note("unknown", await iterable.activate(`unknown-of-${customer}`, first?.criteriaId, { plan: "free" }));
        note("track", await iterable.track("searched", { word: "tea", results: 3 }));
    },
    async update() {
        note("update", await iterable.updateUser({ visits: 2 }));
    },
    async merge() {
        note("merge", await iterable.merge(customer));
        note("update-known", await iterable.updateUser({ plan: "gold" }));
    },
};

function note(step, answer) {
    list(step, String(answer.status));
}

function list(step, text) {
    const item = document.createElement("li");
    item.dataset.answer = step;
    item.textContent = `${step}: ${text}`;
    document.querySelector("#answers").append(item);
}

for (const button of document.querySelectorAll("[data-step]")) {
    const step = button.dataset.step;
    button.addEventListener("click", () => {
        // The browser gives a page no reason: the console has it, and the emulator's live page.
        steps[step]().catch((error) => list(step, `no answer (${error.name})`));
    });
}
document.body.dataset.ready = "yes";
