// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import Foundation
import NIOSSL
import SignetTestSupport

/// A certificate for `localhost` and `127.0.0.1`, good for a day, with its key.
final class LoopbackCertificate: Sendable {
    let certificate: NIOSSLCertificate
    let certificatePath: String
    let keyPath: String
    private let folder: TemporaryFolder

    struct NoCertificate: Error {}

    /// Makes the certificate with openssl(1).
    ///
    /// - Throws: The error of openssl.
    init() throws {
        self.folder = try TemporaryFolder()
        self.certificatePath = self.folder.path + "/certificate.pem"
        self.keyPath = self.folder.path + "/key.pem"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
            self.keyPath, "-out", self.certificatePath,
        ]
        process.standardError = FileHandle.nullDevice
        try start(process)
        process.waitUntilExit()
        guard let own = try NIOSSLCertificate.fromPEMFile(self.certificatePath).first else { throw NoCertificate() }
        self.certificate = own
    }

    /// Makes the TLS context of a server.
    ///
    /// - Parameter protocols: The protocols that may be agreed on.
    /// - Returns: The context.
    /// - Throws: The error of NIOSSL.
    func context(protocols: [String]) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(self.certificate)],
            privateKey: .privateKey(try NIOSSLPrivateKey(file: self.keyPath, format: .pem))
        )
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }
}
#endif
