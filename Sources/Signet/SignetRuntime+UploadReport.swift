// SPDX-License-Identifier: Apache-2.0

extension SignetRuntime {
    /// The events that an upload did not cover.
    public struct UploadReport: Sendable, Hashable {
        /// Events that wait for the first user of their installation.
        ///
        /// They cannot be sent before that, and delay no upload.
        public let eventsWithoutUser: Int
    }
}
