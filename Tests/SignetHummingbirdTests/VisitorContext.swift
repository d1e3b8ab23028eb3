// SPDX-License-Identifier: Apache-2.0

#if SIGNET_HUMMINGBIRD
import Hummingbird
import Logging
import SignetHummingbird

/// The context of requests that no connection has sent.
struct VisitorContext: SignetRequestContext {
    struct Source: RequestContextSource {
        let logger: Logger

        init(_ logger: Logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }) {
            self.logger = logger
        }
    }

    var coreContext: CoreRequestContextStorage
    var signet = SignetVisitor()

    init(source: Source) {
        self.coreContext = CoreRequestContextStorage(source: source)
    }
}
#endif
