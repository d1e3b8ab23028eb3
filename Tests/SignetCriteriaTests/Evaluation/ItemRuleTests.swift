// SPDX-License-Identifier: Apache-2.0

import SignetCriteria
import SignetTransport
import Testing

/// Purchases and carts: items, and the rule that one item must meet all.
@Suite struct ItemRuleTests {
    private static func bought(_ queries: JSONValue...) -> JSONValue {
        ["dataType": "purchase", "searchCombo": ["combinator": "And", "searchQueries": .array(queries)]]
    }

    private static func item(_ field: String, _ value: JSONValue) -> JSONValue {
        Document.query("shoppingCartItems." + field, "Equals", value)
    }

    @Test func oneItemMustMeetAllConditionsOnItems() throws {
        let tree = Self.bought(Self.item("name", "tea"), Self.item("price", "3"))
        let together = Document.purchase(["name": "milk", "price": 1], ["name": "tea", "price": 3])
        let apart = Document.purchase(["name": "milk", "price": 3], ["name": "tea", "price": 1])
        #expect(try Document.holds(tree, together) == (true, true))
        #expect(try Document.holds(tree, apart) == (false, false))
        #expect(try Document.holds(tree, Document.purchase()) == (false, false))
    }

    @Test func itemsAndFieldsOfThePurchaseCombine() throws {
        let tree = Self.bought(Self.item("name", "tea"), Document.query("total", "GreaterThan", "5"))
        #expect(try Document.holds(tree, Document.purchase(["name": "tea"], total: 6)) == (true, true))
        #expect(try Document.holds(tree, Document.purchase(["name": "tea"], total: 5)) == (false, false))
        #expect(try Document.holds(tree, Document.purchase(["name": "milk"], total: 6)) == (false, false))
        let data = Self.bought(Document.query("coupon", "Equals", "X"))
        #expect(try Document.holds(data, Document.purchase(fields: ["coupon": "X"])) == (true, true))
        #expect(try Document.holds(data, Document.purchase(["name": "tea"], fields: ["coupon": "X"])) == (true, true))
    }

    @Test func aPurchasesOwnMembersCountBeforeItsDataFields() throws {
        let tree = Self.bought(Document.query("total", "Equals", "7"))
        #expect(try Document.holds(tree, Document.purchase(fields: ["total": 1], total: 7)) == (true, true))
    }

    @Test func aCartUpdateIsACustomEvent() throws {
        let field = "updateCart.updatedShoppingCartItems.name"
        let tree = Document.leaf("customEvent", Document.query(field, "Equals", "tea"))
        #expect(try Document.holds(tree, Document.cart(["name": "tea"])) == (true, true))
        #expect(try Document.holds(tree, Document.purchase(["name": "tea"])) == (false, false))
        let name = Document.leaf("customEvent", Document.query("eventName", "Equals", "updateCart"))
        #expect(try Document.holds(name, Document.cart()) == (true, true))
        let made = Document.leaf("customEvent", Document.query("updateCart.createdAt", "GreaterThan", "1"))
        #expect(try Document.holds(made, Document.cart()) == (true, true))
    }

    @Test func theOtherListsNamesMatchNothing() throws {
        let tree = Document.leaf("customEvent", Self.item("name", "tea"))
        #expect(try Document.holds(tree, Document.cart(["name": "tea"])) == (false, false))
    }

    @Test func theWholeListIsFoundUnderStrictOrBesideAQueryOnItems() throws {
        let list = Document.query("shoppingCartItems", "IsSet", fieldType: "object")
        let purchase = Document.purchase(["name": "tea"])
        #expect(try Document.holds(Self.bought(list), purchase) == (true, false))
        #expect(try Document.holds(Self.bought(list, Self.item("name", "tea")), purchase) == (true, true))
    }

    @Test func fieldsInsideAnItemsFieldAreFoundUnderStrict() throws {
        let tree = Self.bought(Self.item("dataFields.color", "green"))
        let purchase = Document.purchase(["name": "tea", "dataFields": ["color": "green"]])
        #expect(try Document.holds(tree, purchase) == (true, false))
        let category = Self.bought(Document.query("shoppingCartItems.categories", "Contains", "hot"))
        #expect(try Document.holds(category, Document.purchase(["categories": ["hot", "dry"]])) == (true, true))
    }

    @Test func aQueryOnItemsIsPassedOverWithoutItemsUnderIOS() throws {
        let price = Document.query("shoppingCartItems.price", "Equals", "3", type: "user")
        let tree = Document.leaf("user", price, Document.query("age", "Equals", "3", type: "user"))
        #expect(try Document.holds(tree, Document.user(["age": 3])) == (false, true))
        #expect(try Document.holds(Document.leaf("user", price), Document.user(["age": 3])) == (false, false))
    }

    /// Three of the vendors' tests keep an item's price as a field of the user, under its whole name.
    @Test func aRecordWithoutItemsIsAskedForAFieldOfTheWholeNameUnderStrict() throws {
        let price = Document.query("shoppingCartItems.price", "Equals", "50.5", type: "user")
        let country = Document.query("country", "Equals", "UK", type: "user")
        let tree = Document.leaf("user", country, price)
        let both = Document.user(["country": "UK", "shoppingCartItems.price": 50.5])
        #expect(try Document.holds(tree, both) == (true, true))
        #expect(
            try Document.holds(tree, Document.user(["country": "UK", "shoppingCartItems.price": 1])) == (false, true)
        )
        #expect(try Document.holds(tree, Document.user(["shoppingCartItems.price": 50.5])) == (false, false))
        #expect(try Document.holds(Document.leaf("user", price), both) == (true, false))
        // Who has items is asked for them.
        let bought = Document.purchase(["price": 1], fields: ["shoppingCartItems.price": 50.5])
        #expect(try Document.holds(Self.bought(Self.item("price", "50.5")), bought) == (false, false))
    }
}
