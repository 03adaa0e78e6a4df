package com.google.firebase.messaging;

import android.app.Service;
import android.content.Intent;
import android.os.IBinder;

/** The members of Firebase's class that the sample uses. */
public abstract class FirebaseMessagingService extends Service {
    public void onMessageReceived(RemoteMessage message) {}

    public void onNewToken(String token) {}

    @Override
    public IBinder onBind(Intent intent) {
        return null;
    }
}
