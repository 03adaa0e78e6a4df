/// The service's rules for names and ids (docs/api.md, "Free-form values"). They are checked by bytes, because a
/// character of Swift can consist of several code points.
enum Rules {
    static func isEventName(_ name: String) -> Bool { matches(name, "_-.") }
    static func isName(_ name: String) -> Bool { matches(name, "_-.$") }
    static func isPersonId(_ id: String) -> Bool { matches(id, "_-.@:+|=~") }

    private static func matches(_ text: String, _ signs: String) -> Bool {
        let bytes = text.utf8
        guard (1...64).contains(bytes.count) else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
            default: return signs.utf8.contains(byte)
            }
        }
    }
}

/// A part of a message that the service would refuse.
struct BrokenRule: Error {
    let part: String
}
