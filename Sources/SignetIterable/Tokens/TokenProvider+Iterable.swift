// SPDX-License-Identifier: Apache-2.0

import Signet
import SignetModel

extension TokenProvider<IterableUserID> {
    /// Asks the provider.
    ///
    /// Nil and errors become failed answers.
    func answer(for subject: IterableUserID, _ reason: TokenReason) async -> TokenStateMachine.ProviderAnswer {
        do {
            return try await self.body(subject, reason).map { .token($0.withExposed { $0 }) } ?? .failed(.noToken)
        } catch {
            return .failed(.providerFailed)
        }
    }
}
