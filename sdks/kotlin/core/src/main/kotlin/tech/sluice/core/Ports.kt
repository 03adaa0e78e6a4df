package tech.sluice.core

import java.io.IOException
import tech.sluice.Consent
import tech.sluice.InternalSluiceApi

/** Cancels the work or request for which it was returned. */
@InternalSluiceApi
public fun interface Cancellation {
    public fun cancel()
}

/** The thread on which a client does everything but its calls: work runs in order, one at a time. */
@InternalSluiceApi
public interface Worker {
    /** Milliseconds since 1970 by the device's clock, which users can change. */
    public fun now(): Long

    /** Milliseconds that never decrease, and continue while the device sleeps. */
    public fun monotonic(): Long

    /** Runs [work] after all work that was given before. */
    public fun execute(work: () -> Unit)

    /** Runs [work] once after [ms]. */
    public fun later(ms: Long, work: () -> Unit): Cancellation
}

/** Purpose of a new id. Tests use it to name the id. */
@InternalSluiceApi
public enum class IdPurpose(public val text: String) {
    DEVICE("device"),
    ANONYMOUS_ID("anonymousId"),
    STREAM("stream"),
    KEY("key"),
}

/** Random numbers and ids. Called on any thread. */
@InternalSluiceApi
public interface Randomness {
    /** A number from 0 to under 1, drawn once for each wait. */
    public fun fraction(): Double

    /** A new UUID. */
    public fun uuid(purpose: IdPurpose): String
}

/** Small values of one source on one device, shared by all processes of the app. */
@InternalSluiceApi
public interface ValueStore {
    /**
     * All values; empty if there are none.
     *
     * @throws IOException if they cannot be read at present, which does not mean that there are none
     */
    @Throws(IOException::class)
    public fun read(): Map<String, String>

    /** Changes the values atomically, also across processes, and returns all of them. */
    @Throws(IOException::class)
    public fun change(change: (MutableMap<String, String>) -> Unit): Map<String, String>

    @Throws(IOException::class)
    public fun clear()

    /** Releases what it holds open. A later call opens it again. */
    public fun close() {}
}

/**
 * Batches of all clients of a device, including other processes and earlier ones. Each call is one step between
 * processes, and a call that fails has stored nothing. Called on the worker only.
 */
@InternalSluiceApi
public interface BatchStore {
    /** Keys of all batches, by the names of their files only. */
    @Throws(IOException::class)
    public fun keys(): Set<String>

    /**
     * All batches except those with these keys. The caller adopts every open one. Messages that are lost to damage are
     * reported to [lost].
     */
    @Throws(IOException::class)
    public fun list(known: Set<String>, lost: (count: Int, cause: String) -> Unit): List<Batch>

    /**
     * Stores message [index], and the batch itself with its first message. Returns false if the batch is sealed or
     * gone, or if it exists already.
     */
    @Throws(IOException::class)
    public fun append(batch: Batch, index: Int, text: String): Boolean

    /** Permanently closes a batch for appends. Returns the number of its messages; null if it is gone. */
    @Throws(IOException::class)
    public fun seal(batch: Batch): Int?

    /** The messages of a sealed batch; null if it is gone. */
    @Throws(IOException::class)
    public fun read(key: String): List<String>?

    /**
     * Stores times and numbers of tries of a batch, and adds [doubts] to the stored ones, because several clients can
     * try it. Never creates the batch. Returns the sum of doubts; null if the batch is gone.
     */
    @Throws(IOException::class)
    public fun update(batch: Batch, doubts: Int): Int?

    /**
     * Replaces a batch by sealed ones: its halves, or the same messages for another host. Changes nothing and returns
     * false if the batch is gone or has doubts, which means that another client is sending it.
     */
    @Throws(IOException::class)
    public fun replace(key: String, parts: List<BatchContent>): Boolean

    /** Removes a batch with its first `count` messages. Later messages stay and are listed as the batch `key.count`. */
    @Throws(IOException::class)
    public fun remove(batch: Batch)

    /** Removes the batches of a source, because consent was denied to it. Returns the number of their messages. */
    @Throws(IOException::class)
    public fun clear(sourceIdentifier: String): Int

    /** Releases what it holds open. A later call opens it again. */
    public fun close() {}
}

/** A request. */
@InternalSluiceApi
public class HttpRequest(
    public val method: String,
    public val url: String,
    public val headers: Map<String, String>,
    public val body: String?,
)

/** An answer. A redirect is not an answer. */
@InternalSluiceApi
public interface HttpAnswer {
    public val status: Int
    public val body: String

    /** A header by its name in lower case; null if it is missing. */
    public fun header(name: String): String?
}

/** Thrown at an answer that is not the service's: a redirect, or more text than it writes. */
internal class UnansweredException(message: String) : IOException(message)

/** Sends requests without blocking the caller. */
@InternalSluiceApi
public fun interface Transport {
    /**
     * Calls [done] once, on any thread, with an answer, or without one and with what prevented it. Cancelling ends the
     * request.
     */
    public fun send(request: HttpRequest, done: (answer: HttpAnswer?, failure: Throwable?) -> Unit): Cancellation
}

/** Events of the app and its network that a client reacts to. */
@InternalSluiceApi
public enum class LifecycleEvent {
    /** The app may end now. */
    HIDE,

    /** The app is visible again, and others may have changed the store. */
    SHOW,

    /** A hint that the network is back. */
    ONLINE,

    /** Another owner changed the store, or it can be read again. */
    WAKE,
}

/** Name and version of the library in `context.sdk`. */
@InternalSluiceApi
public class SdkName(public val name: String, public val version: String)

/**
 * The parts of a client that depend on the platform.
 *
 * @property context context of the platform for each message; called on any thread, and must be quick
 * @property registration members of `bb_notification_registered` next to the token and device
 * @property plain turns a platform's own type into maps and lists; returns other values as they are
 * @property agreed called with each change of consent, on the worker
 * @property closed called on the worker when the client is closed and needs nothing more
 * @property log output of debug mode
 */
@InternalSluiceApi
public class Ports(
    public val sdk: SdkName,
    public val worker: Worker,
    public val random: Randomness,
    public val values: ValueStore?,
    public val queue: BatchStore?,
    public val transport: Transport,
    public val context: () -> Map<String, Any?> = { emptyMap() },
    public val registration: Map<String, Any?> = emptyMap(),
    public val plain: (Any) -> Any = { it },
    public val agreed: (Consent) -> Unit = {},
    public val log: (String) -> Unit = {},
    public val closed: () -> Unit = {},
) {
    internal fun withWorker(worker: Worker): Ports =
        Ports(sdk, worker, random, values, queue, transport, context, registration, plain, agreed, log, closed)
}
