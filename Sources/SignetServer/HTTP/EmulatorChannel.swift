// SPDX-License-Identifier: Apache-2.0

#if SIGNET_EMULATOR_SERVER
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A connection of the server: Hummingbird's HTTP/1 channel with deadlines and an orderly end.
struct EmulatorChannel: ServerChildChannel {
    private let base: HTTP1Channel
    private let lingerTime: Duration

    init(_ configuration: EmulatorServerConfiguration, responder: @escaping HTTPChannelHandler.Responder) {
        self.lingerTime = configuration.lingerTime
        self.base = HTTP1Channel(
            responder: responder,
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    RequestDeadline(
                        head: configuration.headerTime,
                        body: configuration.bodyTime,
                        answer: configuration.answerTime
                    )
                ],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: configuration.headerBytes,
                    maxHeaderListSize: configuration.headerBytes
                )
            )
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let lingerTime = self.lingerTime
        return self.base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            // The handlers behind the decoder no longer see the version and the target.
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ConnectionEnd(lingerTime: lingerTime), position: .after(decoder))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await self.base.handle(value: value, logger: logger)
    }
}
#endif
