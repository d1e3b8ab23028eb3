//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// The genders that Infobip accepts.
public enum InfobipGender: String, Sendable, Hashable, CaseIterable {
    /// `Male`.
    case male = "Male"
    /// `Female`.
    case female = "Female"
}
