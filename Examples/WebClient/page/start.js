// SPDX-License-Identifier: Apache-2.0
const { eCommerce } = mParticle;
const customer = choice.get("customer") ?? "ann";

function list(step, result) {
    const item = document.createElement("li");
    item.dataset.answer = step;
    item.textContent = `${step}: ${result.httpCode}`;
    document.querySelector("#answers").append(item);
}

mParticle.config.identityCallback = (result) => list("identify", result);
mParticle.init(choice.get("key") ?? "us1-emulated", mParticle.config);
mParticle.ready(() => {
    mParticle.logPageView("Home");
    mParticle.logEvent("searched", mParticle.EventType.Search, { results: 3, exact: false, word: "tea" });
    eCommerce.logPromotion(mParticle.PromotionType.PromotionView, eCommerce.createPromotion("spring", "Spring"));
});

document.querySelector("#login").addEventListener("click", () => {
    mParticle.Identity.login({ userIdentities: { customerid: customer } }, (result) => list("login", result));
});
document.querySelector("#buy").addEventListener("click", () => {
    const product = eCommerce.createProduct("Assam", "t-1", 4.5, 2, undefined, undefined, undefined, undefined, undefined, { organic: true });
    eCommerce.logProductAction(mParticle.ProductActionType.Purchase, [product], {}, {}, { Id: "o-1", Revenue: 9 });
    mParticle.upload();
});
document.querySelector("#alias").addEventListener("click", () => {
    const [current, before] = mParticle.Identity.getUsers();
    if (!before) return list("alias", { httpCode: "there is only one user" });
    mParticle.Identity.aliasUsers(mParticle.Identity.createAliasRequest(before, current), (result) => list("alias", result));
});
