// SPDX-License-Identifier: Apache-2.0

/// The reading of the criteria language where its documentation and the shipping checker differ.
///
/// | | `strict` | `iOS` |
/// |---|---|---|
/// | `Not` over a leaf | negates | holds unless all records of the type match, the last of all among them |
/// | queries of a leaf | joined by And, Or or Not | always by And |
/// | a leaf without queries | any record of its type | never |
/// | text that is a number | is kept | is rewritten: `007` to `7`, `0.5` to `.5`; stored text is not |
/// | numbers in text | decimal | also hexadecimal, `nan`, `inf` |
/// | lists of several kinds or of Booleans | pass when an element does | pass no test but `DoesNotEqual` and `IsSet` |
/// | `null` | counts as missing | is set, and different from everything |
/// | a list of values | works with every comparator; a value beside it is ignored | works with equality only; a value beside it, even an empty one, replaces it, and `null` spoils it |
/// | a value that is a number or a Boolean | is its text | never |
/// | `IsSet` without a value | reads as usual | never |
/// | a number as the id of a criterion | is its text | hides the criterion |
/// | siblings of an array of objects on a path | stay visible | are missing while an element is tested |
/// | an empty array at the end of a path | is compared | passes no test |
/// | an event's name with dots, in front of a field | is removed | hides the field |
/// | an object's name that is not the event's | may be a field | never |
/// | a data field called `eventName` or `eventType` | is hidden by the record's own; a record without a name has the one among its data fields | renames the event |
/// | a record with a field `criteriaId` | counts | is skipped |
/// | a query on items of a record without items | reads the field of that whole name | is ignored beside others, and does not hold alone |
/// | a path's empty parts, as in `.f`, `f.` and `o..x` | are empty names | are dropped |
/// | a missing step of a path, before an array of objects | makes the field missing | is skipped: `m.y.z` finds `{y: [{z: 1}]}` |
/// | arrays beside the path, by the name of a later step | are ignored | the last one met counts |
/// | a name that comes twice on a path through an array | is two steps | an element is put where the name comes first |
/// | whole numbers beyond 2^53 | are exact | are Doubles in comparisons of order |
/// | `\s` in a pattern | `[\t\n\f\r\p{Z}]`, as ICU documents it | also U+000B and U+0085, as ICU implements it |
/// | the whole list of items, and values inside an item's field | can be queried | are not found (the list: only beside a query on items) |
/// | unreadable parts, and patterns that are not implemented | the criterion is left out, with the path of the fault | never, with a note in the report |
///
/// In three things `iOS` differs from the vendor's checker on purpose:
///
/// - Text is compared by its bytes, in both dialects: `é` as one code point differs from `e` followed by a combining
///   accent, in values, lists, prefixes and names, and `Contains` finds the `e`. The vendor's checkers in Kotlin and
///   JavaScript do the same; the one in Swift compares by canonical equivalence, which takes seconds for a text made
///   for it. An app whose text comes from several sources normalises it (NFC) before tracking it.
/// - A list of whole and other numbers, such as `[3.0, 5]`, is a list of numbers. In the vendor's checker that depends
///   on whether the list comes from the app's memory or from storage.
/// - An evaluation that takes more work than ``CriteriaCheck/workLimit`` ends; the vendor's checker continues.
public enum CriteriaDialect: String, Sendable, Hashable, CaseIterable {
    /// The documented meaning: `Not` negates, text keeps `007` and `0.5`, and nonsense is an error.
    case strict
    /// The behaviour of the vendor's checker for iOS, quirks included, but without its crashes.
    ///
    /// It takes typed values, as the vendor's tests do. The vendor's storage returns a Boolean as a number; that defect
    /// is not copied.
    case iOS
}
