// SPDX-License-Identifier: Apache-2.0

#if Tool
import Hummingbird
import NIOCore

/// The connection of a request.
struct ServerContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        self.channel = source.channel
    }
}
#endif
