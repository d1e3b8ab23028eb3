// SPDX-License-Identifier: Apache-2.0

/// The type of a person, which Infobip decides and an app only reads.
public enum InfobipPersonType: String, Sendable, Hashable, CaseIterable {
    /// A person who may become a customer; every person begins as a lead.
    case lead = "LEAD"
    /// A person who was personalized and not kept as a lead.
    case customer = "CUSTOMER"
}
