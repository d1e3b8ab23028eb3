// SPDX-License-Identifier: Apache-2.0

#if SIGNET_POSTGRES
import Signet
import SignetModel
import Testing

import func Foundation.setenv
import func Foundation.unsetenv

@testable import SignetPostgres

@Suite struct ConnectionParametersTests {
    /// What libpq is told for the first address.
    private static func told(_ url: Secret, _ defaults: [String: String] = [:]) throws -> [String: String] {
        let parameters = try ConnectionParameters(url, defaults: defaults)
        return parameters.withKeywords(parameters.addresses[0]) { keywords, values in
            var told: [String: String] = [:]
            var index = 0
            while let keyword = keywords[index], let value = values[index] {
                told[String(cString: keyword)] = String(cString: value)
                index += 1
            }
            return told
        } ?? [:]
    }

    @Test(arguments: [
        "postgres://db/shop", "postgres://u:p@10.0.0.1/shop", "postgres://localhost,db/shop",
    ])
    func aServerElsewhereMustProveWhoItIs(_ url: String) throws {
        #expect(try Self.told(Secret(url))["sslmode"] == "verify-full")
    }

    @Test(arguments: ["localhost", "127.0.0.1", "[::1]", "%2Fvar%2Frun%2Fpostgresql"])
    func thisMachineNeedNot(_ host: String) throws {
        #expect(try Self.told(Secret("postgres://\(host)/shop"))["sslmode"] == nil)
    }

    @Test(arguments: ["disable", "prefer", "require", "verify-ca"])
    func aWeakerModeIsRefusedForAServerElsewhere(_ mode: String) throws {
        let error = #expect(throws: SharedStoreError.self) {
            try ConnectionParameters(Secret("postgres://db/shop?sslmode=\(mode)"))
        }
        #expect(error?.code == .invalidArgument)
        #expect(try Self.told(Secret("postgres://127.0.0.1/shop?sslmode=\(mode)"))["sslmode"] == mode)
    }

    @Test func aHostNamedLocalWithAnAddressElsewhereIsElsewhere() throws {
        #expect(try Self.told("postgres://localhost/shop?hostaddr=10.0.0.1")["sslmode"] == "verify-full")
    }

    @Test func withoutAHostTheEnvironmentSaysWhereTheServerIs() throws {
        #expect(try Self.told("postgres:///shop")["sslmode"] == nil)
        #expect(try Self.told("postgres:///shop", ["host": "/run/postgresql"])["sslmode"] == nil)
        let named = try Self.told("postgres:///shop", ["host": "db", "port": "7", "sslmode": "disable"])
        #expect(named["sslmode"] == "verify-full")
        #expect(named["host"] == "db" && named["port"] == "7")
        // A number in the environment goes before a name in the URL, for libpq too.
        #expect(try Self.told("postgres://localhost/shop", ["hostaddr": "10.0.0.1"])["sslmode"] == "verify-full")
        #expect(try Self.told("postgres://localhost/shop", ["host": "db"])["sslmode"] == nil)
    }

    @Test func theEnvironmentIsWhatLibpqTakes() async {
        await #expect(processExitsWith: .success) {
            setenv("PGHOST", "db", 1)
            setenv("PGHOSTADDR", "10.0.0.9", 1)
            setenv("PGPORT", "77", 1)
            let parameters = try ConnectionParameters("postgres:///shop")
            #expect(parameters.description == "db:77")
            #expect(parameters.addresses[0].number == "10.0.0.9")
            #expect(!parameters.addresses[0].isLocal)
            unsetenv("PGHOST")
            unsetenv("PGHOSTADDR")
            setenv("PGSERVICE", "shop", 1)
            let error = #expect(throws: SharedStoreError.self) { try ConnectionParameters("postgres://db/shop") }
            #expect(error?.message.contains("PGSERVICE") == true)
        }
    }

    @Test func aServiceIsRefused() {
        for (url, defaults) in [("postgres:///?service=shop", [:]), ("postgres://db/shop", ["service": "shop"])] {
            let error = #expect(throws: SharedStoreError.self) {
                try ConnectionParameters(Secret(url), defaults: defaults)
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("write the host into the URL") == true)
        }
    }

    @Test func eachHostIsAnAddressWithItsPort() throws {
        let parameters = try ConnectionParameters("postgres://one:1,two:2/shop")
        #expect(parameters.description == "one:1,two:2")
        #expect(try ConnectionParameters("postgres://one,two:2/shop").addresses.count == 2)
        #expect(throws: SharedStoreError.self) { try ConnectionParameters("host=a,b port=1,2,3") }
    }

    @Test func onlyAPrimaryIsTaken() throws {
        #expect(try Self.told("postgres://db/shop?target_session_attrs=any")["target_session_attrs"] == "read-write")
    }

    @Test(arguments: [
        "postgres://u:hunter2@[db/shop", "postgres://u:hunter2%zz@db/shop", "hunter2", "postgres://db/?hunter2=1",
    ])
    func anUnreadableURLIsNotPrinted(_ url: String) throws {
        let error = #expect(throws: SharedStoreError.self) { try ConnectionParameters(Secret(url)) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test(arguments: [
        "postgres://u:hunter2@db/shop\n", "postgres://u:hunter2@db/shop\r\n", " postgres://u:hunter2@db/shop",
    ])
    func aURLWithALineBreakOrABlankAroundItIsRefused(_ url: String) throws {
        let error = #expect(throws: SharedStoreError.self) { try ConnectionParameters(Secret(url)) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains("remove it") == true && error?.description.contains("hunter2") == false)
    }

    @Test func nothingThatPrintsShowsThePassword() throws {
        let parameters = try ConnectionParameters("postgres://u:hunter2@db/shop?password=hunter2")
        var text = "\(parameters) \(String(reflecting: parameters))"
        dump(parameters, to: &text)
        #expect(!text.contains("hunter2"))
        let failure = PostgresFailure(connectionMessage: "refused hunter2\nmore", redacting: parameters.secrets)
        #expect(failure.message == "refused <redacted>")
    }

    @Test func theStateOfARefusedConnectionIsFound() {
        let text = """
            connection to server at "127.0.0.1", port 5432 failed: FATAL:  28P01: password authentication failed for user "shop"
            LOCATION:  auth_failed, auth.c:338
            """
        let failure = PostgresFailure(connectionMessage: text, redacting: [])
        #expect(failure.state == "28P01")
        #expect(failure.message == "password authentication failed for user \"shop\"")
        #expect(failure.connectionError.code == .notPermitted)
    }

    @Test func eachAddressThatWasTriedIsTold() {
        let text = """
            connection to server at "db" (::1), port 5432 failed: Connection refused
            \tIs the server running on that host and accepting TCP/IP connections?
            connection to server at "db" (127.0.0.1), port 5432 failed: FATAL:  28P01: password hunter2 failed for user "shop"
            LOCATION:  auth_failed, auth.c:338
            connection to server at "db" (127.0.0.2), port 5432 failed: Connection timed out: hunter2
            """
        let failure = PostgresFailure(connectionMessage: text, redacting: ["hunter2"])
        #expect(failure.state == "28P01")
        #expect(
            failure.message == """
                connection to server at "db" (::1), port 5432 failed: Connection refused; \
                password <redacted> failed for user "shop"; \
                connection to server at "db" (127.0.0.2), port 5432 failed: Connection timed out: <redacted>
                """
        )
        let long = PostgresFailure(connectionMessage: "refused one\ntwo", redacting: ["one\ntwo"])
        #expect(long.message == "refused <redacted>")
        #expect(PostgresFailure(connectionMessage: "", redacting: []).message == "no reason was given")
    }

    @Test(arguments: ["postgres://u:s3cret@tail@db/shop", "postgres://u:sec/ret@db/shop", "postgres://u:p@db:x1/shop"])
    func aPasswordThatIsNotEncodedIsNotTold(_ url: String) {
        let error = #expect(throws: SharedStoreError.self) { try ConnectionParameters(Secret(url)) }
        #expect(error?.code == .invalidArgument)
        for part in ["tail", "sec", "x1"] { #expect(error?.message.contains(part) == false) }
    }
}
#endif
