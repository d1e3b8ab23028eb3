//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How the language of criteria is read where its documentation and the shipping checker part.
///
/// | | `strict` | `iOS` |
/// |---|---|---|
/// | `Not` over a leaf | negates | holds unless all records of the type match, the last of all among them |
/// | queries of a leaf | joined by And, Or or Not | always by And |
/// | a leaf without queries | any record of its type | never |
/// | text that is a number | stays what it is | is rewritten: `007` to `7`, `0.5` to `.5`; stored text is not |
/// | numbers in text | decimal | also hexadecimal, `nan`, `inf` |
/// | lists of several kinds or of Booleans | pass when an element does | pass no test but `DoesNotEqual` and `IsSet` |
/// | `null` | as if it were not there | is set, and different from everything |
/// | a list of values | with every comparator; a value beside it is not read | with equality only; a value beside it, also an empty one, is read in its place, and `null` spoils it |
/// | a value that is a number or a Boolean | is its text | never |
/// | `IsSet` without a value | reads as usual | never |
/// | a number as the id of a criterion | is its text | the criterion is not seen |
/// | siblings of an array of objects on a path | are there | are gone while an element is looked at |
/// | an empty array at the end of a path | is compared | passes no test |
/// | an event's name with dots, in front of a field | is taken off | hides the field |
/// | an object's name that is not the event's | may be a field | never |
/// | a data field called `eventName` or `eventType` | is hidden by the record's own; a record without a name has the one among its data fields | renames the event |
/// | a record with a field `criteriaId` | as any other | is passed over |
/// | a query on items, where the record has none | asks for a field of that whole name | is not looked at beside others, and does not hold alone |
/// | a path's empty parts, as in `.f`, `f.` and `o..x` | are empty names | are dropped |
/// | a path's step that is not there, before an array of objects | is missing | is passed over: `m.y.z` finds `{y: [{z: 1}]}` |
/// | arrays beside the path, by the name of a later step | are not looked at | the last one met counts |
/// | a name that comes twice on a path through an array | is two steps | an element is put where the name comes first |
/// | whole numbers beyond 2^53 | are exact | are Doubles when more or less is asked |
/// | `\s` in a pattern | `[\t\n\f\r\p{Z}]`, as ICU documents it | also U+000B and U+0085, as ICU finds it |
/// | the whole list of items, and what lies inside an item's field | can be asked for | not found (the list: only beside a query on items) |
/// | what makes no sense, and patterns that are not built | the criterion is left out, with the path of the fault | never, with a note in the report |
///
/// In three things `iOS` is not the vendor's checker, on purpose:
///
/// - Text is compared by its bytes, in both dialects: `é` in one code point and `e` with an accent behind it are two texts, in
///   values, lists, prefixes and names, and `Contains` finds the `e`. So do the vendor's checkers in Kotlin and JavaScript; the
///   one in Swift compares by canonical equivalence, which takes seconds for a text that was made for it. An app whose text
///   comes from several sources normalises it (NFC) before it tracks it.
/// - A list of whole and other numbers, such as `[3.0, 5]`, is a list of numbers. There that depends on whether the list comes
///   from the app's memory or from storage.
/// - An evaluation that takes more work than ``CriteriaCheck/workLimit`` ends, there it goes on.
public enum CriteriaDialect: String, Sendable, Hashable, CaseIterable {
    /// The documented meaning: `Not` negates, text keeps `007` and `0.5`, what makes no sense is an error.
    case strict
    /// What the vendor's checker for iOS does, quirks included, but without its crashes.
    ///
    /// It is given typed values, as the vendor's tests do: that its storage gives back a Boolean as a number is a defect of
    /// that storage and is not copied.
    case iOS
}
