//
// This source file is part of the signet project
// Copyright (c) the signet project authors
//
// See LICENSE for license information
// SPDX-License-Identifier: Apache-2.0
//

/// What a person is to the service; it decides, an app only reads.
public enum InfobipPersonType: String, Sendable, Hashable, CaseIterable {
    /// Somebody who may become a customer: so begins everybody.
    case lead = "LEAD"
    /// Somebody who was personalized and not kept as a lead.
    case customer = "CUSTOMER"
}
