package tech.sluice

import android.annotation.SuppressLint
import android.content.Context

/** Makes the clients of an app. */
public object Sluice {
    private val lock = Any()
    private val installed = HashMap<String, Installation>()

    // The context that it keeps is that of the application, which lives as long as the process.
    @SuppressLint("StaticFieldLeak")
    private var latest: Installation? = null

    /** The client that was created last; null before the first. */
    @JvmStatic
    public val client: Client? get() = synchronized(lock) { latest?.client }

    /**
     * Makes a client. Call it in `Application.onCreate`, so that it is there when the system starts the app for a push
     * message. A second call for the same source and host gives the same client. It does not throw and does no work on
     * the calling thread but this.
     */
    @JvmStatic
    public fun create(context: Context, configuration: Configuration): Client {
        val app = context.applicationContext ?: context
        synchronized(lock) {
            val name = listOf(configuration.apiHost, configuration.sourceIdentifier, configuration.apiKey).joinToString(" ")
            installed[name]?.client?.takeUnless { it.isClosed }?.let { return it }
            val made = Installation(app, configuration)
            if (made.client.isDisabled) return made.client
            made.begin()
            installed[name] = made
            latest = made
            return made.client
        }
    }

    /** All that the app has made and not closed, or else what it made in an earlier process. */
    internal fun installations(context: Context): List<Installation> =
        if (installation(context) == null) emptyList() else synchronized(lock) { installed.values.filterNot { it.client.isClosed } }

    /** What the app has made last, or else what it made in an earlier process; null if there never was a client. */
    internal fun installation(context: Context?): Installation? {
        synchronized(lock) { latest }?.let { return it }
        val app = context?.applicationContext ?: return null
        val stored = StoredConfiguration(filesOf(app)).read() ?: return null
        create(app, stored)
        return synchronized(lock) { latest }
    }

    /** Forgets the clients, so that a test begins like a process. */
    internal fun forget() {
        synchronized(lock) {
            installed.values.forEach { it.end() }
            installed.clear()
            latest = null
        }
    }
}
