// SPDX-License-Identifier: Apache-2.0

package import Signet

/// The code of the error that a body throws; nil for none.
package func code(_ body: () async throws -> Void) async -> SignetError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? SignetError)?.code
    }
}

/// Why a call failed; nil when it did not.
package func code(_ body: () async throws(SignetError) -> Void) async -> SignetError.Code? {
    await failure(body)?.code
}

/// With what a call failed; nil when it did not.
package func failure(_ body: () async throws(SignetError) -> Void) async -> SignetError? {
    do throws(SignetError) {
        try await body()
        return nil
    } catch {
        return error
    }
}
