package tech.sluice

import android.content.Context
import android.os.Looper
import android.util.Log
import tech.sluice.push.PushPayload
import tech.sluice.push.payloadOf

/** Push messages of the service. */
public object Notification {
    /**
     * Does the same as the other [handle], in a process in which the app has made a client. Without one nothing can be
     * shown, which is logged.
     *
     * @return false if the message is not the service's, or there is no client
     */
    @JvmStatic
    public fun handle(data: Map<String, String?>?): Boolean {
        val payload = payloadOf(data) ?: return false
        val installation = Sluice.installation()
        if (installation != null) return show(installation, payload)
        Log.w("Sluice", "a push message is not shown: there is no client in this process; use Notification.handle(context, data)")
        return false
    }

    /**
     * Shows a push message and reports what becomes of it. Call it in `FirebaseMessagingService.onMessageReceived` with
     * `message.data`. A process in which the app has made no client uses the configuration of the last one. On a
     * background thread it returns when the notification is shown; on the main thread at once.
     *
     * @return false if the message is not the service's, or no client is known; only the former on the main thread
     */
    @JvmStatic
    public fun handle(context: Context, data: Map<String, String?>?): Boolean {
        val payload = payloadOf(data) ?: return false
        if (!isOnMainThread()) return Sluice.installation(context)?.let { show(it, payload) } ?: notShown()
        // Files must not be read here, so it is not known yet whether there was a client.
        Sluice.withInstallation(context) { installation -> if (installation == null) notShown() else show(installation, payload) }
        return true
    }

    private fun show(installation: Installation, payload: PushPayload): Boolean {
        val presenter = NotificationPresenter(installation)
        if (isOnMainThread()) installation.background { presenter.present(payload) } else presenter.present(payload)
        return true
    }

    private fun notShown(): Boolean {
        Log.w("Sluice", "a push message is not shown: the app never made a client that has consent; call Sluice.create in Application.onCreate")
        return false
    }

    private fun isOnMainThread(): Boolean = Looper.myLooper() == Looper.getMainLooper()

    /**
     * Does the same as the other [refreshToken], in a process in which the app has made a client. Without one the token
     * is not taken, which is logged.
     */
    @JvmStatic
    public fun refreshToken(token: String?): Boolean {
        val client = Sluice.client
        if (client != null) return client.setDeviceToken(token)
        Log.w("Sluice", "a push token is not registered: there is no client in this process; use Notification.refreshToken(context, token)")
        return false
    }

    /**
     * Registers a new push token. Call it in `FirebaseMessagingService.onNewToken`. A process in which the app has made
     * no client uses the configuration of the last one.
     *
     * @return false if it was not taken; true on the main thread of such a process, where that is not known yet
     */
    @JvmStatic
    public fun refreshToken(context: Context, token: String?): Boolean {
        Sluice.client?.let { return it.setDeviceToken(token) }
        if (!isOnMainThread()) return Sluice.installation(context)?.client?.setDeviceToken(token) ?: refreshToken(token)
        Sluice.withInstallation(context) { if (it == null) refreshToken(token) else it.client.setDeviceToken(token) }
        return true
    }
}
