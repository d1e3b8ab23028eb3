// SPDX-License-Identifier: Apache-2.0

#if SIGNET_ASYNC_HTTP_CLIENT
import Foundation
import SignetTestSupport
import Testing

/// An nginx on `localhost` that passes requests on to a server of this machine; it ends with the value, and with the process.
///
/// The Debian package is `nginx-light`.
final class Nginx: Sendable {
    let port: UInt16
    private let folder: TemporaryFolder
    private let process: Process
    private let lifeline: Pipe

    struct NotThere: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - server: The address of the server behind it.
    ///   - settings: Lines of the configuration's `http` block.
    ///   - certificate: The certificate, for HTTP/2 over TLS; nil for HTTP/1.1 without TLS.
    ///   - reloads: The pause in seconds between reloads of the configuration; nil for none.
    /// - Throws: ``NotThere``.
    init(
        before server: String,
        _ settings: String,
        certificate: LoopbackCertificate? = nil,
        reloading reloads: String? = nil
    ) async throws {
        let folder = try TemporaryFolder()
        let port = try LoopbackServer.deafPort()
        (self.folder, self.port) = (folder, port)
        let tls = certificate.map {
            "ssl_certificate \($0.certificatePath); ssl_certificate_key \($0.keyPath);"
        }
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path)/\($0);"
        }
        let user = getuid() == 0 ? "user root;" : ""
        try """
        daemon off; \(user) pid \(folder.path)/nginx.pid; error_log \(folder.path)/error.log; worker_processes 2;
        events { worker_connections 512; }
        http {
            access_log off; \(places.joined(separator: " ")) \(settings)
            server {
                listen 127.0.0.1:\(port)\(certificate == nil ? "" : " ssl http2"); \(tls ?? "")
                location / { proxy_pass \(server); }
            }
        }
        """.write(toFile: folder.path + "/nginx.conf", atomically: true, encoding: .utf8)
        // The end of the standard input ends it, also when this process crashes.
        let reloading = reloads.map {
            "while sleep \($0) && kill -0 $nginx; do nginx -c $conf -s reload 2>>$folder/reloads.log; done & reloads=$!"
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [
            "-c",
            """
            folder=\(folder.path) conf=$folder/nginx.conf PATH=$PATH:/usr/sbin
            nginx -c $conf 2>$folder/start.log & nginx=$!
            for try in {1..20000}; do if (: </dev/tcp/127.0.0.1/\(port)) 2>/dev/null; then echo listens >$folder/state; break; fi
                kill -0 $nginx 2>/dev/null || break; done
            [[ -f $folder/state ]] || echo failed >$folder/state
            \(reloading ?? ":")
            read -r line
            # Processes that a thread of Swift starts have other signals blocked; nginx unblocks them.
            kill -KILL $reloads 2>/dev/null
            kill $nginx 2>/dev/null
            wait
            """,
        ]
        self.process = process
        self.lifeline = try start(process) {
            let pipe = Pipe()
            process.standardInput = pipe
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            return pipe
        }
        let state = folder.path + "/state"
        await until("nginx") { FileManager.default.fileExists(atPath: state) || !process.isRunning }
        var text = ""
        await until("the state of nginx") {
            text = Self.text(of: state)
            return text.hasSuffix("\n") || !process.isRunning
        }
        guard text == "listens\n" else {
            let log = Self.text(of: folder.path + "/start.log") + Self.text(of: folder.path + "/error.log")
            throw NotThere(description: "nginx does not listen; install nginx-light. \(log)")
        }
    }

    deinit {
        self.lifeline.fileHandleForWriting.closeFile()
        self.process.waitUntilExit()
    }

    private static func text(of path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
#endif
