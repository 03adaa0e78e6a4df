package tech.sluice.core

import java.io.IOException
import tech.sluice.InternalSluiceApi

/** Names of the stored values. */
@InternalSluiceApi
public object ValueNames {
    public const val DEVICE: String = "device"
    public const val ANONYMOUS_ID: String = "anonymousId"
    public const val USER_ID: String = "userId"

    /** Counts the messages lost on this device. */
    public const val LOST: String = "lost"

    internal val all = listOf(DEVICE, ANONYMOUS_ID, USER_ID, LOST)
}

/** Values that every device has. */
private val ids = mapOf(ValueNames.DEVICE to IdPurpose.DEVICE, ValueNames.ANONYMOUS_ID to IdPurpose.ANONYMOUS_ID)

/** The acting person: the user id, if one is known, and the anonymous id. */
internal class Person(val userId: String?, val anonymousId: String)

/**
 * Ids of the person and the device. Calls read and change them in memory on any thread; the worker writes them, and
 * reads what other processes have changed.
 */
internal class Identity(
    private val values: ValueStore?,
    private val random: Randomness,
    private val worker: Worker,
) {
    private val lock = Any()
    private val memory = HashMap<String, String>()
    private var isPersistent = false

    /** Number of values that the worker has not written yet. While there are any, the store's values are older. */
    private var unwritten = 0

    fun device(): String = requireId(ValueNames.DEVICE, IdPurpose.DEVICE)

    fun anonymousId(): String = requireId(ValueNames.ANONYMOUS_ID, IdPurpose.ANONYMOUS_ID)

    fun userId(): String? = synchronized(lock) { memory[ValueNames.USER_ID]?.takeIf { isPersonId(it) } }

    /** Both ids of one moment: read one by one, an event could have those of two people. */
    fun person(): Person = synchronized(lock) { Person(userId(), anonymousId()) }

    /** Number of messages given up on this device. */
    fun lost(): Long = synchronized(lock) { numberIn(memory) }

    /** Adds to the number of messages given up. */
    fun giveUp(count: Int) {
        synchronized(lock) { write(ValueNames.LOST, (numberIn(memory) + count).toString(), count) }
    }

    /** Removes the user and makes a new anonymousId. The device id stays. */
    fun reset() {
        synchronized(lock) {
            // Empty instead of absent, because an absent value means that the store lost it.
            write(ValueNames.USER_ID, "")
            write(ValueNames.ANONYMOUS_ID, random.uuid(IdPurpose.ANONYMOUS_ID))
        }
    }

    /** Sets the user. A different user gets a new anonymousId, so that their events are never mixed. */
    fun become(id: String) {
        synchronized(lock) {
            val previous = userId()
            if (previous != null && previous != id) reset()
            write(ValueNames.USER_ID, id)
        }
    }

    /**
     * Starts to read and write the store. Ids in the store replace those that were made in memory before.
     *
     * @throws IOException if the store cannot be read; nothing has changed then
     */
    fun persist() {
        val stored = readOrMake()
        synchronized(lock) {
            val user = memory[ValueNames.USER_ID]
            isPersistent = true
            take(stored)
            // The person has changed while nothing was read.
            if (!user.isNullOrEmpty()) become(user) else if (user != null && userId() != null) reset()
        }
    }

    /**
     * Reads the values, with ids that are made in one step if the store has none: two processes that start at once must
     * have the same.
     */
    private fun readOrMake(): Map<String, String> {
        val stored = values?.read() ?: return emptyMap()
        val missing = ids.filterKeys { name -> stored[name]?.let(::isPersonId) != true }
        if (missing.isEmpty()) return stored
        val newIds = synchronized(lock) {
            missing.mapValues { (name, purpose) -> memory[name]?.takeIf { isPersonId(it) } ?: random.uuid(purpose) }
        }
        val add = { values: MutableMap<String, String> ->
            newIds.forEach { (name, id) -> if (values[name]?.let(::isPersonId) != true) values[name] = id }
        }
        // Without room they are in memory, and written later.
        return attempt { values.change(add) } ?: stored.toMutableMap().also(add)
    }

    /** Leaves the store alone from now on. */
    fun pause() {
        synchronized(lock) { isPersistent = false }
    }

    /** Takes over what other processes have stored, and stores again what the store has lost. */
    fun refresh() {
        if (!synchronized(lock) { isPersistent && unwritten == 0 }) return
        val stored = attempt { values?.read() } ?: return
        synchronized(lock) { if (isPersistent && unwritten == 0) take(stored) }
    }

    /** Forgets everything, including the values in the store. */
    fun erase() {
        synchronized(lock) {
            memory.clear()
            isPersistent = false
        }
        worker.execute { attempt { values?.clear() } }
    }

    private fun requireId(name: String, purpose: IdPurpose): String =
        synchronized(lock) {
            memory[name]?.takeIf { isPersonId(it) } ?: random.uuid(purpose).also { write(name, it) }
        }

    private fun take(stored: Map<String, String>) {
        for (name in ValueNames.all) {
            val value = stored[name]
            if (value != null) memory[name] = value else memory[name]?.let { write(name, it) }
        }
    }

    /** @param added by how much the value grew; other processes may have added to it too */
    private fun write(name: String, value: String, added: Int? = null) {
        memory[name] = value
        if (!isPersistent || values == null) return
        unwritten++
        worker.execute {
            val written = attempt { values.change { it[name] = if (added == null) value else addCounts(it, value, added) } }
            synchronized(lock) {
                unwritten--
                if (added != null && isPersistent) written?.get(name)?.let { memory[name] = it }
            }
        }
    }

    private fun addCounts(stored: Map<String, String>, countInMemory: String, added: Int): String =
        if (ValueNames.LOST in stored) (numberIn(stored) + added).toString() else countInMemory

    private fun numberIn(values: Map<String, String>): Long = values[ValueNames.LOST]?.toLongOrNull() ?: 0
}
