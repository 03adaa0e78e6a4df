package tech.sluice

import android.annotation.SuppressLint
import android.content.Context

/** Makes the clients of an app. */
public object Sluice {
    private val lock = Any()
    private val installed = LinkedHashMap<String, Installation>()

    // The installation keeps the application's context, which lives as long as the process.
    @SuppressLint("StaticFieldLeak")
    private var latest: Installation? = null

    /** The client that was created last and is not closed; null if there is none. */
    @JvmStatic
    public val client: Client? get() = installation()?.client

    /**
     * Makes a client. Call it in `Application.onCreate`, so that it is there when the system starts the app for a push
     * message. A second call for the same source and host returns the same client: a stricter
     * [Configuration.consent] is applied, and the error handler gets the names of the other options that differ. A client
     * that a push message made from a file, before the app did, gives way to the app's own. Never throws, and reads no
     * file on the calling thread.
     */
    @JvmStatic
    public fun create(context: Context, configuration: Configuration): Client {
        val app = context.applicationContext ?: context
        synchronized(lock) {
            val known = installed[nameOf(configuration)]?.takeUnless { it.client.isClosed || it.isStored }
            if (known != null && !configuration.apiKey.isNullOrBlank()) {
                known.created(configuration)
                return known.client
            }
            val made = Installation(app, configuration)
            if (made.client.isDisabled) return made.client
            val stored = open().filter { it.isStored && sourceOf(it.configuration) == sourceOf(configuration) }
            install(made)
            stored.forEach { it.giveWay(made) }
            return made.client
        }
    }

    private fun install(made: Installation) {
        made.begin()
        installed[nameOf(made.configuration)] = made
        latest = made
    }

    /** Source and host, however they are written. */
    private fun nameOf(configuration: Configuration): String {
        val host = configuration.apiHost.orEmpty().trim().replace(Regex("^https://", RegexOption.IGNORE_CASE), "").trimEnd('/')
        return "${sourceOf(configuration)} $host"
    }

    private fun sourceOf(configuration: Configuration): String = configuration.sourceIdentifier.orEmpty().trim()

    /** All installations that the app has made and not closed. */
    internal fun open(): List<Installation> = synchronized(lock) { installed.values.filterNot { it.client.isClosed } }

    /** The installation that the app made last in this process, if it is not closed. */
    internal fun installation(): Installation? = synchronized(lock) { latest?.takeUnless { it.client.isClosed } }

    /** The present installation, else that of an earlier process, made again from a file. Null if there was no client. */
    internal fun installation(context: Context): Installation? {
        installation()?.let { return it }
        val app = context.applicationContext ?: context
        val stored = StoredConfiguration(filesOf(app), app).read() ?: return null
        return synchronized(lock) {
            installation() ?: Installation(app, stored, isStored = true).takeUnless { it.client.isDisabled }?.also(::install)
        }
    }

    /** Runs [work] with [installation], at once if there is one in this process, else on a thread that may read files. */
    internal fun withInstallation(context: Context, work: (Installation?) -> Unit) {
        installation()?.let { return work(it) }
        val app = context.applicationContext ?: context
        var isStarted = false
        quietly {
            Thread({
                var found: Installation? = null
                quietly { found = installation(app) }
                quietly { work(found) }
            }, "sluice-start").start()
            isStarted = true
        }
        // No memory for a thread: a job or receiver that waits must still be ended.
        if (!isStarted) quietly { work(null) }
    }

    /** Forgets a client that was closed. */
    internal fun closed(installation: Installation) {
        synchronized(lock) {
            installed.values.remove(installation)
            if (installed.isEmpty()) CrashBarrier.remove()
            if (latest === installation) latest = installed.values.lastOrNull { !it.client.isClosed }
        }
    }

    /** Forgets the clients, so that a test begins like a new process. */
    internal fun forget() {
        synchronized(lock) {
            installed.values.forEach { it.client.close() }
            installed.clear()
            latest = null
        }
    }
}
