import Testing
@testable import Signet
@Suite struct ZZGenerate {
    @Test func generate() {
        for stage in ProfileMachineScene.Stage.allCases {
            for event in ProfileMachineScene.Event.allCases {
                var machine = ProfileMachineScene.machine(in: stage)
                let actions = ProfileMachineScene.apply(event, to: &machine)
                print("ROW        \(stage.rawValue) | \(event.rawValue) | \(actions) | \(ProfileMachineScene.name(machine))")
            }
            print("ROW")
        }
    }
}
