/// Clients of one source and folder that live in this process. Consent is a person's, so it holds for all of them.
enum Siblings {
    private struct Member: Sendable {
        weak var parts: Parts?
        let place: String
    }

    private static let members = Guarded<[Member]>([])

    /// Adds a client. Returns the others.
    static func join(_ parts: Parts) -> [Parts] {
        members.with { members in
            members.removeAll { $0.parts == nil }
            let others = members.filter { $0.place == parts.place }.compactMap(\.parts)
            members.append(Member(parts: parts, place: parts.place))
            return others
        }
    }

    static func leave(_ parts: Parts) { members.with { $0.removeAll { $0.parts == nil || $0.parts === parts } } }

    static func others(of parts: Parts) -> [Parts] {
        members.with { $0.filter { $0.place == parts.place }.compactMap(\.parts).filter { $0 !== parts } }
    }
}

extension Consent {
    /// Higher if less is allowed.
    private var strictness: Int {
        switch self {
        case .granted: return 0
        case .pending: return 1
        case .denied: return 2
        }
    }

    func stricter(_ other: Consent) -> Consent { strictness >= other.strictness ? self : other }
}
