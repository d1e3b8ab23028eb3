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
/// | a list of values | with every comparator; a value beside it is not read | with equality only; an empty value beside it spoils it |
/// | a value that is a number or a Boolean | is its text | never |
/// | `IsSet` without a value | reads as usual | never |
/// | a number as the id of a criterion | is its text | the criterion is not seen |
/// | siblings of an array of objects on a path | are there | are gone while an element is looked at |
/// | an empty array at the end of a path | is compared | passes no test |
/// | an event's name with dots, in front of a field | is taken off | hides the field |
/// | an object's name that is not the event's | may be a field | never |
/// | a data field called `eventName` or `eventType` | is hidden by the record's own | renames the event |
/// | a record with a field `criteriaId` | as any other | is passed over |
/// | a query on items beside others, without items | does not hold | is not looked at |
/// | the whole list of items, and what lies inside an item's field | can be asked for | not found (the list: only beside a query on items) |
/// | what makes no sense, and patterns that are not built | an error with its path | never, with a note in the report |
public enum CriteriaDialect: String, Sendable, Hashable, CaseIterable {
    /// The documented meaning: `Not` negates, text keeps `007` and `0.5`, what makes no sense is an error.
    case strict
    /// What the vendor's checker for iOS does, quirks included, but without its crashes.
    ///
    /// It is given typed values, as the vendor's tests do: that its storage gives back a Boolean as a number is a defect of
    /// that storage and is not copied.
    case iOS
}
