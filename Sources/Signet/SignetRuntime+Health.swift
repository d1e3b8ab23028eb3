// SPDX-License-Identifier: Apache-2.0

extension SignetRuntime {
    /// The health of this runtime now: ready, or the reasons why not.
    ///
    /// It reads memory only, sends nothing and waits for no disk: ask as often as a probe does, from any thread. It holds no key,
    /// identity or attribute value.
    public var health: SignetHealth {
        let reasons = self.context.reviewHealth()
        return reasons.isEmpty ? .ready : .degraded(reasons)
    }
}
