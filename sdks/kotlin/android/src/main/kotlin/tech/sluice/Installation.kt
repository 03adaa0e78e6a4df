package tech.sluice

import android.content.Context
import android.net.TrafficStats
import android.os.Handler
import android.os.Looper
import android.os.SystemClock
import android.util.Log
import java.io.File
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.ThreadPoolExecutor
import java.util.concurrent.TimeUnit
import tech.sluice.core.LifecycleEvent
import tech.sluice.core.Options
import tech.sluice.core.Ports
import tech.sluice.core.SdkName
import tech.sluice.file.FileBatchStore
import tech.sluice.file.FileValueStore
import tech.sluice.net.HttpTransport
import tech.sluice.net.SystemRandomness
import tech.sluice.net.SystemWorker
import tech.sluice.push.Interaction
import tech.sluice.push.InteractionReporter

/** Tag of the SDK's traffic in the statistics of Android. */
internal const val TRAFFIC_TAG = 0x51_1CE

/** Threads for requests and other work off the main thread; idle ones end. */
private const val THREADS = 4
private const val IDLE_S = 5L

/**
 * Folder of the SDK. It is not part of backups: a restored copy would give two devices one id. The path is composed
 * here, because asking the system for it creates the folder on the calling thread.
 */
internal fun filesOf(context: Context): File = File(context.applicationInfo.dataDir, "no_backup/sluice")

/** Interactions that a client of an earlier process keeps for the app's own listener. */
private const val MAX_UNHEARD = 20

/**
 * A client and what belongs to it in an app.
 *
 * @property isStored true if it was made from the configuration of an earlier process, which has no plugins, handlers
 *   and listeners: the app's own takes its place
 */
internal class Installation(val context: Context, val configuration: Configuration, val isStored: Boolean = false) {
    private val worker = SystemWorker(SystemClock::elapsedRealtime)
    private val threads =
        ThreadPoolExecutor(THREADS, THREADS, IDLE_S, TimeUnit.SECONDS, LinkedBlockingQueue()) { work ->
            Thread({ tagged(work) }, "sluice-http").apply { isDaemon = true }
        }.apply { allowCoreThreadTimeOut(true) }
    private val transport = HttpTransport(threads, isStreaming = true)
    private val files = filesOf(context)
    private val stored = StoredConfiguration(files, context)
    private val deviceContext = DeviceContext(context)
    private val surroundings = Surroundings(this)

    val client: Client
    private val interactions: InteractionReporter

    /** The app's own installation, for which this one has given way. */
    @Volatile
    private var successor: Installation? = null

    /** Interactions that wait for the app's own listener. */
    private val unheard = ArrayDeque<NotificationInteraction>()

    /** The installation that reports what this one began: itself, unless it has given way. */
    val current: Installation get() = successor ?: this

    init {
        worker.execute { deviceContext.load() }
        client = Client(options(), ports())
        interactions = InteractionReporter(client, client.apiHost, transport, worker, SystemRandomness)
    }

    private fun options() =
        Options(
            configuration.apiKey,
            configuration.sourceIdentifier,
            configuration.apiHost,
            configuration.consent,
            configuration.flushAt,
            configuration.flushInterval,
            configuration.maxAge,
            errorHandler = if (isStored) ErrorHandler { current.configuration.errorHandler?.onError(it) } else configuration.errorHandler,
            isDebugging = configuration.debug,
            plugins = configuration.plugins,
            eventsPath = configuration.eventsPath,
        )

    private fun ports() =
        Ports(
            SdkName(SDK_NAME, SDK_VERSION),
            worker,
            SystemRandomness,
            FileValueStore(File(files, "values"), nameOf(configuration.sourceIdentifier.orEmpty().trim())),
            FileBatchStore(File(files, "queue"), OsFolderSync),
            transport,
            context = deviceContext::members,
            registration = mapOf("package_name" to context.packageName, "sdk" to "ANDROID"),
            plain = ::toPlain,
            agreed = ::agreed,
            log = { Log.d("Sluice", it) },
            closed = ::end,
        )

    /** Begins to follow the app and the network, off the calling thread. */
    fun begin() {
        CrashBarrier.set()
        surroundings.follow()
        worker.execute { agreed(configuration.consent) }
    }

    /** Stores the configuration while consent is granted, for processes that the system starts for a tap or a job. */
    private fun agreed(consent: Consent) {
        if (consent == Consent.GRANTED) stored.write(configuration) else stored.clear()
    }

    /** Calls [done] when the worker has handled everything taken so far. */
    fun written(done: () -> Unit) {
        worker.execute(done)
    }

    /** Has a job send what is left, even after the process has ended. */
    fun scheduleFlush() {
        worker.execute { FlushJobService.schedule(context) }
    }

    fun cancelFlush() {
        worker.execute { FlushJobService.cancel(context) }
    }

    /** Reports what became of a notification, by the app's own client if there is one by now. */
    fun report(interaction: Interaction, done: () -> Unit = {}) {
        // Under the lock, because a client that gives way takes nothing more. A stored one has no plugins, which are code of
        // the app.
        if (!isStored) return interactions.report(interaction, done)
        val next = synchronized(unheard) { successor.also { if (it == null) interactions.report(interaction, done) } }
        next?.report(interaction, done)
    }

    /**
     * Passes a user's interaction to the listener. An installation made from the stored configuration has none, and keeps
     * it for the app's own.
     */
    fun publish(interaction: NotificationInteraction) {
        if (isStored) {
            val next = synchronized(unheard) {
                if (successor == null && unheard.size < MAX_UNHEARD) unheard += interaction
                successor
            }
            next?.publish(interaction)
            return
        }
        try {
            configuration.notifications.listener?.onInteraction(interaction)
        } catch (error: Throwable) {
            Log.w("Sluice", "the listener of notifications failed", error)
        }
    }

    fun later(ms: Long, work: () -> Unit) {
        worker.later(ms, work)
    }

    /** Runs work off the main thread. */
    fun background(work: () -> Unit) {
        threads.execute(work)
    }

    /** Handles a second create: reports the options that it cannot change, and applies a stricter consent. */
    fun created(next: Configuration) {
        val ignored = configuration.differencesTo(next)
        client.createdAgain(next.consent, ignored)
        if (ignored.isNotEmpty()) Log.w("Sluice", "a second Sluice.create for the same source changes nothing of ${ignored.joinToString()}")
    }

    /** Hands its batches and its unheard interactions over to the app's own installation, and closes. */
    fun giveWay(next: Installation) {
        val interactions = synchronized(unheard) {
            successor = next
            unheard.toList().also { unheard.clear() }
        }
        client.createdAgain(next.configuration.consent, emptyList())
        // The last files of this client may be newer than the list of files that the next one has read.
        client.leave { next.client.handle(LifecycleEvent.WAKE) }
        val main = Handler(Looper.getMainLooper())
        interactions.forEach { main.post { next.publish(it) } }
    }

    private fun end() {
        surroundings.end()
        Sluice.closed(this)
    }

    private fun tagged(work: Runnable) {
        TrafficStats.setThreadStatsTag(TRAFFIC_TAG)
        work.run()
    }
}

/** A file name for a sourceIdentifier, which may have any characters if the client is misconfigured. */
private fun nameOf(sourceIdentifier: String): String =
    sourceIdentifier.toByteArray().joinToString("") { byte ->
        val sign = (byte.toInt() and 255).toChar()
        if (sign in 'a'..'z' || sign in 'A'..'Z' || sign in '0'..'9') sign.toString() else "_${byte.toInt() and 255}"
    }.take(100)
