// SPDX-License-Identifier: Apache-2.0

/// The genders that Infobip accepts.
public enum InfobipGender: String, Sendable, Hashable, CaseIterable {
    /// `Male`.
    case male = "Male"
    /// `Female`.
    case female = "Female"
}
