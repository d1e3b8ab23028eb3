//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// How the language of criteria is read where its documentation and the shipping checker part.
public enum CriteriaDialect: String, Sendable, Hashable, CaseIterable {
    /// The documented meaning: `Not` negates, text keeps `007` and `0.5`, what makes no sense is an error.
    case strict
    /// What the vendor's checker for iOS does, quirks included, but without its crashes.
    ///
    /// It is given typed values, as the vendor's tests do: that its storage gives back a Boolean as a number is a defect of
    /// that storage and is not copied.
    case iOS
}
