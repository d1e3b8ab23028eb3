// SPDX-License-Identifier: Apache-2.0

/// A test of a value.
enum CriteriaTest: Sendable {
    /// The directions of a comparison of numbers.
    enum Order: Sendable {
        case greater
        case less
        case greaterOrEqual
        case lessOrEqual
    }

    /// Equal to any of these.
    case equals([CriteriaOperand])
    /// Present, and equal to none of these.
    case differs([CriteriaOperand])
    /// Present and not empty.
    case isSet
    /// A number on that side of any of these.
    case compares(Order, [CriteriaOperand])
    /// Text that contains any of these, or a list with such an element.
    case contains([CriteriaOperand])
    /// Text that begins with any of these.
    case startsWith([CriteriaOperand])
    /// Text in which any of these is found.
    case matches([Pattern])
    /// A test that never holds, with the reason why the dialect cannot read the query.
    case never(String)
}
