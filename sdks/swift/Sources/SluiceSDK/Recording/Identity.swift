/// Ids of the person and the device. Values are read from the store each time, because another process may have changed
/// them. Memory keeps copies, in case the store loses them or cannot be used.
struct Identity {
    private let values: ValuesFile
    private let random: any Randomness
    private var memory: [ValuesFile.Name: String] = [:]
    private var isPersistent = false
    /// Values in memory that could not be written: the disk is full, or another process holds the file.
    private var unsaved: Set<ValuesFile.Name> = []
    /// Values that were made because the store had none, and could not be written: one that it has by now replaces them.
    private var unclaimed: Set<ValuesFile.Name> = []
    /// Messages given up that the file does not count yet.
    private var owed = 0

    init(_ values: ValuesFile, _ random: any Randomness) {
        self.values = values
        self.random = random
    }

    private mutating func read(_ name: ValuesFile.Name) -> String? {
        if unclaimed.contains(name), let valueInMemory = memory[name] { return claim(name, valueInMemory, within: 0) }
        if unsaved.contains(name), let valueInMemory = memory[name] {
            save(name, valueInMemory, within: 0)
            return valueInMemory
        }
        guard isPersistent, let stored = try? Stored(values.get(name)) else { return memory[name] }
        if let value = stored.value {
            memory[name] = value
            return value
        }
        guard let valueInMemory = memory[name] else { return nil }
        // Each value is written when it is made, so a missing value was removed.
        return claim(name, valueInMemory)
    }

    /// Writes a value unless the store has one, which another process has made at the same time. Returns what is there.
    private mutating func claim(
        _ name: ValuesFile.Name, _ value: String, within seconds: Double = OpenFile.LockWait.firstValues
    ) -> String {
        memory[name] = value
        guard isPersistent else { return value }
        do {
            let isId = name == .device || name == .anonymousId
            let stored = try values.change(name, within: seconds) { there in
                there.flatMap { isId && !Rules.isPersonId($0) ? nil : $0 } ?? value
            }
            memory[name] = stored
            unclaimed.remove(name)
            return stored
        } catch {
            unclaimed.insert(name)
            return value
        }
    }

    /// Distinguishes a value that is not there from one that cannot be read.
    private struct Stored {
        let value: String?
        init(_ value: String?) { self.value = value }
    }

    private mutating func write(_ name: ValuesFile.Name, _ value: String) {
        memory[name] = value
        unclaimed.remove(name)
        if isPersistent { save(name, value) }
    }

    private mutating func save(_ name: ValuesFile.Name, _ value: String, within seconds: Double = OpenFile.LockWait.caller) {
        do {
            try values.set(name, value, within: seconds)
            unsaved.remove(name)
        } catch {
            unsaved.insert(name)
        }
    }

    private mutating func id(_ name: ValuesFile.Name, _ purpose: IdPurpose) -> String {
        if let storedId = read(name), Rules.isPersonId(storedId) { return storedId }
        return claim(name, random.uuid(purpose))
    }

    var device: String { mutating get { id(.device, .device) } }
    var anonymousId: String { mutating get { id(.anonymousId, .anonymousId) } }
    var userId: String? { mutating get { read(.userId).flatMap { Rules.isPersonId($0) ? $0 : nil } } }
    /// Number of messages given up on this device.
    var lost: Int {
        mutating get {
            if isPersistent, owed > 0 { count(within: 0) }
            return (read(.lost).flatMap { Int($0) } ?? 0) + owed
        }
    }

    mutating func giveUp(_ count: Int) {
        owed += count
        if isPersistent { self.count(within: OpenFile.LockWait.caller) }
    }

    /// Adds what is owed to the count of the file, in which other processes count too.
    private mutating func count(within seconds: Double) {
        let (countInMemory, more) = (memory[.lost].flatMap { Int($0) } ?? 0, owed)
        do {
            try values.change(.lost, within: seconds) { String(max(countInMemory, $0.flatMap { Int($0) } ?? 0) + more) }
            owed = 0
        } catch {
            // The next message or loss tries again; until then the number is in memory.
        }
    }

    /// Removes the user and makes a new anonymousId. The device id stays.
    mutating func reset() {
        // Empty instead of absent, because an absent value means that the store lost it.
        write(.userId, "")
        write(.anonymousId, random.uuid(.anonymousId))
    }

    /// Sets the user. A different user gets a new anonymousId, so that their events are never mixed.
    mutating func become(_ id: String) {
        if let previous = userId, previous != id { reset() }
        write(.userId, id)
    }

    /// Throws while the store cannot be read.
    func assertReadable() throws { try values.assertReadable() }

    /// Starts to read and write the store. Ids in the store replace those that were made in memory before.
    mutating func persist() {
        let user = memory[.userId]
        isPersistent = true
        for name in ValuesFile.Name.allCases { _ = read(name) }
        // The person has changed while nothing was read.
        if let user, !user.isEmpty { become(user) } else if user != nil, userId != nil { reset() }
        if owed > 0 { count(within: OpenFile.LockWait.caller) }
    }

    /// Leaves the store alone from now on.
    mutating func pause() { isPersistent = false }

    /// Forgets everything, including the values in the store.
    mutating func erase() {
        memory = [:]
        unsaved = []
        unclaimed = []
        owed = 0
        isPersistent = false
        try? values.clear()
    }
}
