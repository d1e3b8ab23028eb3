// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Measures Signet under load, each figure beside the floors that the same machine had at the same time.
@main
struct EventLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event-load",
        abstract: "Measures Signet under load, each figure beside its floors of the same run.",
        discussion: """
            Each figure is the median of all runs, with the lowest and the highest; the JSON has all of them. Linux only: \
            memory is read from /proc.

            Examples:
              event-load accept --events 1000000 --json accept.json
              event-load upload --seconds 5 --runs 3
              event-load recovery --bytes 1073741824
              event-load crash --runs 200 --seed 7

            Exit codes: 0 measured; 1 something failed, or `crash` found an event that is missing, altered or doubled; \
            64 the command line is wrong; 130, 143 ended by a signal, with nothing left behind.
            """,
        subcommands: Self.subcommands
    )

    private static var subcommands: [any ParsableCommand.Type] {
        var commands: [any ParsableCommand.Type] = [
            AcceptCommand.self, DurableCommand.self, HeldDiskCommand.self, UploadCommand.self, PipelineCommand.self,
            InstallationsCommand.self, VisitsCommand.self, SessionsCommand.self, RemovalCommand.self,
            IdentityCommand.self, RecoveryCommand.self, GrowthCommand.self,
            CrashCommand.self, StartCommand.self, CompareCommand.self, ServerCommand.self, OutageCommand.self,
            CheckCommand.self,
            ChartCommand.self, SinkCommand.self, CrashChildCommand.self,
        ]
        #if HTTP
        commands += [HTTPCommand.self, SoakCommand.self]
        #endif
        #if Fleet
        commands += [
            FleetLogCommand.self, FleetOpenCommand.self, FleetLoginCommand.self, FleetFlushCommand.self,
            FleetSessionsCommand.self, FleetVisitorsCommand.self, FleetCrowdCommand.self,
        ]
        #endif
        return commands
    }
}
